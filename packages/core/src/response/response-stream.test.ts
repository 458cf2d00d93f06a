import { describe, expect, test } from 'vitest'
import { TritonError } from '../errors.ts'
import type { InferenceResponse } from './inference-response.ts'
import { ResponseStream } from './response-stream.ts'

const response = (id: string): InferenceResponse => ({
  modelName: 'm',
  modelVersion: 1,
  id,
  parameters: {},
  outputs: {},
})
const stream = () => new ResponseStream(({ id }) => id)
const done = { done: true, value: undefined }

test('calls of next that come before the responses get them in order', async () => {
  const ids = stream()
  const calls = [ids.next(), ids.next(), ids.next()]
  ids.onResponse(response('a'), false)
  ids.onResponse(response('b'), true)
  expect(await Promise.all(calls)).toEqual([{ done: false, value: 'a' }, { done: false, value: 'b' }, done])
})

test('an error comes after the responses before it, to one call alone', async () => {
  const ids = stream()
  ids.onResponse(response('a'), false)
  ids.onError(new TritonError('INTERNAL', 'broke'))
  expect(await ids.next()).toEqual({ done: false, value: 'a' })
  await expect(ids.next()).rejects.toThrow('broke')
  expect(await ids.next()).toEqual(done)
})

describe('return', () => {
  test('cancels, and ends the calls of next that wait', async () => {
    const ids = stream()
    let cancelled = 0
    ids.onLeave(() => {
      cancelled++
      ids.onError(new TritonError('CANCELLED', 'the request was cancelled'))
    })
    const waiting = ids.next()
    expect(await ids.return()).toEqual(done)
    expect(await waiting).toEqual(done)
    expect(await ids.next()).toEqual(done)
    expect(cancelled).toBe(1)
  })

  test('drops the responses that nobody asked for', async () => {
    const ids = stream()
    ids.onResponse(response('a'), false)
    await ids.return()
    expect(await ids.next()).toEqual(done)
  })
})

describe('room', () => {
  /** A stream with so many responses that nobody has read. */
  const unread = (count: number) => {
    const ids = stream()
    for (let i = 0; i < count; i++) ids.onResponse(response(String(i)), false)
    return ids
  }

  test('there is, up to sixteen responses that nobody has read', () => {
    expect(stream().room()).toBeUndefined()
    expect(unread(15).room()).toBeUndefined()
    expect(unread(16).room()).toBeInstanceOf(Promise)
  })

  test('responses that are waited for take none', () => {
    const ids = stream()
    for (let i = 0; i < 20; i++) void ids.next()
    for (let i = 0; i < 20; i++) ids.onResponse(response(String(i)), false)
    expect(ids.room()).toBeUndefined()
  })

  test('comes with a read, and only when few enough are left', async () => {
    const ids = unread(17)
    let told = false
    const room = ids.room()?.then(() => {
      told = true
    })
    expect(ids.room()).toBe(ids.room())
    await ids.next()
    expect(told).toBe(false)
    expect(ids.room()).toBeInstanceOf(Promise)
    await ids.next()
    await room
    expect(ids.room()).toBeUndefined()
  })

  test.each([
    ['the end', (ids: ReturnType<typeof stream>) => ids.onEnd()],
    ['an error', (ids: ReturnType<typeof stream>) => ids.onError(new TritonError('CANCELLED', 'gone'))],
    ['leaving', (ids: ReturnType<typeof stream>) => ids.return()],
  ])('comes with %s, and is not asked for afterwards', async (_, end) => {
    const ids = unread(20)
    const room = ids.room()
    await end(ids)
    await room
    expect(ids.room()).toBeUndefined()
  })
})
