import { expect, test } from 'vitest'
import { NameTurns } from './name-turns.ts'

test('what a name means is found for one call after the other, whatever becomes of them', async () => {
  const turns = new NameTurns()
  const log: string[] = []
  const begin = (what: string) => async (ids: readonly string[]) => {
    log.push(`${what} ${ids}`)
  }
  let answer = (_ids: readonly string[]): void => {}
  const found = new Promise<readonly string[]>((resolve) => {
    answer = resolve
  })
  const first = turns.take('m', () => found, begin('first'))
  const second = turns.take('m', () => Promise.reject(new Error('no answer')), begin('second'))
  const third = turns.take('m', async () => ['b'], begin('third'))
  await turns.take('n', async () => ['n'], begin('other'))
  expect(log).toEqual(['other n'])
  answer(['a'])
  await first
  await expect(second).rejects.toThrow('no answer')
  await third
  expect(log).toEqual(['other n', 'first a', 'third b'])
})

test('what was begun is not waited for', async () => {
  const turns = new NameTurns()
  const find = async () => ['a']
  await turns.take('m', find, () => new Promise<never>(() => {}))
  const { begun } = await turns.take('m', find, async (ids) => ids)
  expect(await begun).toEqual(['a'])
})
