import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { TritonError } from '../errors.ts'
import { BatchRig } from './fixtures/batch-rig.ts'

const ordered = (more = '') =>
  `max_batch_size: 8 dynamic_batching { preferred_batch_size: 1 preserve_ordering: true ${more} }`

test('responses leave in the order of the requests, whichever instance is faster', async () => {
  const rig = new BatchRig(ordered(), { instances: 3 })
  for (const id of ['a', 'b', 'c', 'd']) rig.send(id)
  const [a, b, c] = rig.batches
  await c?.finish()
  await b?.finish()
  expect(rig.heard).toEqual([])
  expect(rig.ids).toEqual([['a'], ['b'], ['c'], ['d']])
  await a?.finish()
  expect(rig.heard).toEqual(['a ok', 'b ok', 'c ok'])
  await rig.finish()
  expect(rig.heard.at(-1)).toBe('d ok')
})

test('without it responses leave as they come', async () => {
  const rig = new BatchRig('max_batch_size: 8 dynamic_batching { preferred_batch_size: 1 }', { instances: 2 })
  rig.send('a')
  rig.send('b')
  await rig.batches[1]?.finish()
  expect(rig.heard).toEqual(['b ok'])
})

test('an error of the backend keeps its place', async () => {
  const rig = new BatchRig(ordered(), { instances: 2 })
  rig.send('a')
  rig.send('b')
  await rig.batches[1]?.fail(new TritonError('INTERNAL', 'lost'))
  expect(rig.heard).toEqual([])
  await rig.batches[0]?.finish()
  expect(rig.heard).toEqual(['a ok', 'b lost'])
})

test('a cancelled request is told so at once, and nobody waits for it', async () => {
  const rig = new BatchRig(ordered(), { instances: 2 })
  const running = rig.send('a')
  rig.send('b')
  const waiting = rig.send('c')
  await rig.batches[1]?.finish()
  waiting.cancel()
  expect(rig.heard).toEqual(['c the request was cancelled'])
  running.cancel()
  expect(rig.heard).toEqual(['c the request was cancelled', 'a the request was cancelled', 'b ok'])
  await rig.batches[0]?.finish()
})

test('a request that never ran is refused at once', () => {
  const rig = new BatchRig(ordered('default_queue_policy { default_timeout_microseconds: 1000 max_queue_size: 1 }'))
  rig.send('a')
  rig.send('b')
  expect(() => rig.send('c')).toThrow('Exceeds maximum queue size')
  rig.clock.advance(2)
  expect(rig.heard).toEqual(['b Request timeout expired'])
})

test('a refused request leaves no gap', async () => {
  const rig = new BatchRig(ordered('default_queue_policy { max_queue_size: 1 }'))
  rig.send('a')
  rig.send('b')
  expect(() => rig.send('c')).toThrow('Exceeds maximum queue size')
  await rig.finish()
  rig.send('d')
  await rig.finish()
  await rig.finish()
  expect(rig.heard).toEqual(['a ok', 'b ok', 'd ok'])
})

test('of a decoupled model the first speaks freely, the others when it has ended', async () => {
  const rig = new BatchRig(`model_transaction_policy { decoupled: true } ${ordered()}`, { instances: 2 })
  rig.send('a')
  rig.send('b')
  const [a, b] = rig.batches.map(({ requests }) => requests[0])
  b?.respond({ outputs: {} }, { final: false })
  a?.respond({ outputs: {} }, { final: false })
  expect(rig.heard).toEqual(['a part'])
  a?.end()
  expect(rig.heard).toEqual(['a part', 'a ended', 'b part'])
  b?.respond({ outputs: {} }, { final: false })
  b?.end()
  expect(rig.heard).toEqual(['a part', 'a ended', 'b part', 'b part', 'b ended'])
})

test('a long line of finished requests is let go at once', async () => {
  const rig = new BatchRig('max_batch_size: 100000 dynamic_batching { preserve_ordering: true }', { instances: 2 })
  rig.send('first')
  rig.send('second')
  for (let i = 0; i < 20_000; i++) rig.send(String(i))
  await rig.batches[1]?.finish()
  await rig.batches[2]?.finish()
  expect(rig.heard).toEqual([])
  await rig.batches[0]?.finish()
  expect(rig.heard).toHaveLength(20_002)
  expect(rig.heard.slice(0, 3)).toEqual(['first ok', 'second ok', '0 ok'])
})

test('an answer that waits for its turn can still be cancelled, and is counted once', async () => {
  const rig = new BatchRig(ordered(), { instances: 2 })
  const abort = new AbortController()
  rig.send('a')
  rig.send('b', { signal: abort.signal })
  rig.send('c')
  await rig.batches[1]?.finish()
  await rig.batches[2]?.finish()
  abort.abort()
  expect(rig.heard).toEqual(['b the request was cancelled'])
  await rig.batches[0]?.finish()
  expect(rig.heard).toEqual(['b the request was cancelled', 'a ok', 'c ok'])
  expect(rig.stats).toMatchObject({ success: 3, failed: 0 })
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0)
})
