import { expect, test } from 'vitest'
import { OneAtATime } from './one-at-a-time.ts'

test('a turn that is given up does not let the next one begin before its time', async () => {
  const turns = new OneAtATime()
  const { signal } = new AbortController()
  const begun: string[] = []
  let end!: () => void
  const first = turns.run('k', signal, () => {
    begun.push('first')
    return new Promise<void>((resolve) => {
      end = resolve
    })
  })
  const controller = new AbortController()
  const second = turns.run('k', controller.signal, async () => begun.push('second'))
  const third = turns.run('k', signal, async () => begun.push('third'))
  controller.abort(new Error('given up'))
  await expect(second).rejects.toThrow('given up')
  const fourth = turns.run('k', signal, async () => begun.push('fourth'))
  await turns.run('other', signal, async () => begun.push('other'))
  expect(begun).toEqual(['first', 'other'])
  end()
  await Promise.all([first, third, fourth])
  expect(begun).toEqual(['first', 'other', 'third', 'fourth'])
})

test('a turn that fails is followed by the next one', async () => {
  const turns = new OneAtATime()
  const { signal } = new AbortController()
  const first = turns.run('k', signal, () => Promise.reject(new Error('no')))
  const second = turns.run('k', signal, async () => 2)
  await expect(first).rejects.toThrow('no')
  expect(await second).toBe(2)
})
