import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { AbortFollowers } from './abort-followers.ts'

test('a signal has one listener while anyone follows it, and none after', () => {
  const followers = new AbortFollowers()
  const { signal } = new AbortController()
  const leave = Array.from({ length: 100 }, () => followers.follow(signal, () => {}))
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  for (const each of leave) each()
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  for (const each of leave) each()
  followers.follow(signal, () => {})
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
})

test('those who still follow hear the reason, in order and once', () => {
  const followers = new AbortFollowers()
  const abort = new AbortController()
  const heard: string[] = []
  const leave = ['a', 'b', 'c', 'd'].map((name) =>
    followers.follow(abort.signal, (reason) => {
      heard.push(`${name} ${reason}`)
      if (name === 'c') leave[3]?.()
    }),
  )
  leave[1]?.()
  abort.abort('enough')
  abort.abort('again')
  expect(heard).toEqual(['a enough', 'c enough'])
})
