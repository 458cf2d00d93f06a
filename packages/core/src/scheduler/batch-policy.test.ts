import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ExecutionRequest } from '../backend/backend.ts'
import { type BatchCandidate, type BatchQueue, decideBatch } from './batch-policy.ts'
import type { BatchRules } from './batch-rules.ts'
import { reference, sum, type Waiting } from './fixtures/reference-policy.ts'

function queueOf(waiting: readonly Waiting[]): BatchQueue<BatchCandidate> {
  const candidates = waiting.map((one, id) => ({ ...one, request: { id: String(id) } as ExecutionRequest }))
  return { first: () => candidates[0], after: (one) => candidates[candidates.indexOf(one as never) + 1] }
}

const cases = fc.integer({ min: 1, max: 16 }).chain((maxBatchSize) =>
  fc.record({
    maxBatchSize: fc.constant(maxBatchSize),
    preferred: fc.uniqueArray(fc.integer({ min: 1, max: maxBatchSize }), { minLength: 1, maxLength: 4 }),
    maxQueueDelay: fc.constantFrom(0, 1, 5, 100),
    waiting: fc.array(
      fc.record({
        size: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: maxBatchSize })),
        batchKey: fc.oneof({ weight: 9, arbitrary: fc.constant('a') }, { weight: 1, arbitrary: fc.constant('b') }),
        enqueuedAt: fc.nat(20),
      }),
      { maxLength: 20 },
    ),
  }),
)

const rulesOf = (maxBatchSize: number, preferred: readonly number[], maxQueueDelay: number): BatchRules => ({
  maxBatchSize,
  preferredSizes: new Set(preferred),
  smallestPreferred: Math.min(...preferred),
  largestPreferred: Math.max(...preferred),
  maxQueueDelay,
  include: undefined,
})

test('decides as the rules say', () => {
  fc.assert(
    fc.property(cases, ({ maxBatchSize, preferred, maxQueueDelay, waiting }) => {
      const rules = rulesOf(maxBatchSize, preferred, maxQueueDelay)
      expect(decideBatch(queueOf(waiting), rules, 20)).toMatchObject(reference(waiting, rules, 20))
    }),
    { numRuns: 2000 },
  )
})

test('a batch is one request or within the maximum, and of one shape', () => {
  fc.assert(
    fc.property(cases, ({ maxBatchSize, preferred, maxQueueDelay, waiting }) => {
      const decision = decideBatch(queueOf(waiting), rulesOf(maxBatchSize, preferred, maxQueueDelay), 20)
      if (decision.action !== 'send') return
      const batch = waiting.slice(0, decision.count)
      expect(batch).toHaveLength(decision.count)
      expect(decision.count).toBeGreaterThan(0)
      expect(sum(batch)).toBeLessThanOrEqual(maxBatchSize)
      expect(new Set(batch.map(({ batchKey }) => batchKey)).size).toBe(1)
    }),
  )
})

test('what waits is told until when, and that is never past', () => {
  fc.assert(
    fc.property(cases, ({ maxBatchSize, preferred, maxQueueDelay, waiting }) => {
      const decision = decideBatch(queueOf(waiting), rulesOf(maxBatchSize, preferred, maxQueueDelay), 20)
      if (decision.action !== 'wait') return
      expect(decision.until).toBeGreaterThan(20)
      expect(decision.until).toBeLessThanOrEqual(20 + maxQueueDelay)
    }),
  )
})
