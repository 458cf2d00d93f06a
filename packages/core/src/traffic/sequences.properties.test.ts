import { virtualClock } from '@triton-ts/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { started } from '../fixtures/server-rig.ts'
import type { InferRequest } from '../index.ts'
import { twoLatest, versionFor, versions } from './fixtures/split-rig.ts'

const weight = fc.integer({ min: 0, max: 3 })
const acts = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ id: fc.integer({ min: 1, max: 4 }), isLast: fc.boolean() }) },
    fc
      .record({ 1: weight, 2: weight })
      .filter((weights) => weights[1] + weights[2] > 0)
      .map((weights) => ({ weights })),
  ),
  { maxLength: 40 },
)

test('whatever the weights become, a sequence ends in the version in which it began', async () => {
  const clock = virtualClock()
  const batching = 'sequence_batching { max_sequence_idle_microseconds: 1000000 }'
  const trafficSplit = { m: { weights: { 1: 1, 2: 1 } } }
  const server = await started(versions('m', twoLatest(batching), 1, 2), { trafficSplit, clock })
  await fc.assert(
    fc.asyncProperty(acts, async (acts) => {
      const live = new Map<number, number>()
      let weights: Record<number, number> = server.trafficSplit('m')!.weights
      for (const act of acts) {
        if ('weights' in act) {
          weights = act.weights
          await server.setTrafficSplit('m', { weights })
          continue
        }
        const { id, isLast } = act
        const began = live.get(id)
        const more: Partial<InferRequest> = { sequenceStart: began === undefined, sequenceEnd: isLast }
        const version = await versionFor(server, { correlationId: id, ...more })
        if (began === undefined) expect(weights[version]).toBeGreaterThan(0)
        else expect(version).toBe(began)
        if (isLast) live.delete(id)
        else live.set(id, version)
      }
      for (const id of live.keys()) await versionFor(server, { correlationId: id, sequenceEnd: true })
    }),
  )
})
