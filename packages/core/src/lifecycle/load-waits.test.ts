import { expect, test } from 'vitest'
import { LoadWaits } from './load-waits.ts'

/** Lets the load of `waiting` wait for that of `awaited`; `end` ends the wait. */
function wait(waits: LoadWaits, waiting: string, awaited: string) {
  let end = (): void => {}
  const work = new Promise<void>((resolve) => {
    end = resolve
  })
  return { over: waits.during(waiting, awaited, () => work), end }
}

test('a load does not wait for itself', async () => {
  await expect(wait(new LoadWaits(), 'a', 'a').over).rejects.toThrow(
    "the load of model 'a' cannot wait for a load or unload of itself",
  )
})

test('nor for one that waits for it, through however many others', async () => {
  const waits = new LoadWaits()
  const running = [wait(waits, 'a', 'b'), wait(waits, 'a', 'x'), wait(waits, 'b', 'c')]
  await expect(wait(waits, 'c', 'a').over).rejects.toThrow(
    "the load of model 'c' cannot wait for a load or unload of model 'a', which waits for model 'c'",
  )
  running.push(wait(waits, 'c', 'x'))
  for (const { end } of running) end()
  await Promise.all(running.map(({ over }) => over))
})

test('what is over is waited for no more, however it ended', async () => {
  const waits = new LoadWaits()
  await expect(waits.during('a', 'b', () => Promise.reject(new Error('no b')))).rejects.toThrow('no b')
  const back = wait(waits, 'b', 'a')
  back.end()
  await back.over
})
