import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { InferenceRequest } from '../request/inference-request.ts'
import { BatchRig } from './fixtures/batch-rig.ts'
import { SlowBatcher } from './fixtures/slow-batcher.ts'

const policy = fc
  .record({
    timeout_action: fc.constantFrom('REJECT', 'DELAY'),
    default_timeout_microseconds: fc.constantFrom(0, 3000, 8000),
    allow_timeout_override: fc.boolean(),
    max_queue_size: fc.constantFrom(0, 0, 2, 5),
  })
  .map(
    (fields) =>
      `{ ${Object.entries(fields)
        .map(([name, value]) => `${name}: ${value}`)
        .join(' ')} }`,
  )

const scheduling = fc
  .record({
    max: fc.integer({ min: 1, max: 8 }),
    preferred: fc.option(fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 3 })),
    delay: fc.constantFrom(0, 0, 2000, 5000),
    levels: fc.constantFrom(0, 0, 3),
    defaultPolicy: policy,
    firstPolicy: policy,
  })
  .map(({ max, preferred, delay, levels, defaultPolicy, firstPolicy }) => {
    const sizes = preferred?.map((size) => Math.min(size, max))
    return `max_batch_size: ${max} dynamic_batching {
      ${sizes === undefined ? '' : `preferred_batch_size: [${sizes.join(', ')}]`} max_queue_delay_microseconds: ${delay}
      ${levels === 0 ? '' : `priority_levels: ${levels} default_priority_level: 2 priority_queue_policy { key: 1 value ${firstPolicy} }`}
      default_queue_policy ${defaultPolicy} }`
  })

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      batch: fc.oneof(
        { weight: 3, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 8 }) },
      ),
      width: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.constant(2) }),
      priority: fc.integer({ min: 0, max: 4 }),
      timeoutMicroseconds: fc.constantFrom(0, 0, 1000, 6000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('finish' as const), which: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('advance' as const), milliseconds: fc.integer({ min: 1, max: 6 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat(99) }) },
)

const scenario = fc.record({
  scheduling,
  instances: fc.integer({ min: 1, max: 3 }),
  steps: fc.array(step, { maxLength: 60, size: 'max' }),
})

/** The rig and the slow batcher, led through the same steps. */
class Race {
  readonly rig: BatchRig
  readonly slow: SlowBatcher
  readonly sent: InferenceRequest[] = []
  readonly instances: number

  constructor(scheduling: string, instances: number) {
    this.instances = instances
    this.rig = new BatchRig(scheduling, { instances, inputs: 'input { name: "IN" data_type: TYPE_FP32 dims: -1 }' })
    this.slow = new SlowBatcher(this.rig.version.config, instances)
  }

  get now(): number {
    return this.rig.clock.now()
  }

  send({
    batch,
    width,
    priority,
    timeoutMicroseconds,
  }: Extract<typeof step extends fc.Arbitrary<infer S> ? S : never, { do: 'send' }>): void {
    const { maxBatchSize, dynamicBatching } = this.rig.version.config
    const size = Math.min(batch, maxBatchSize)
    const levels = dynamicBatching?.priorityLevels ?? 0
    const level = levels === 0 ? 0 : priority >= 1 && priority <= levels ? priority : 2
    const id = String(this.sent.length)
    const request = { id, size, batchKey: String(width), enqueuedAt: this.now, priority: level, timeoutMicroseconds }
    const isTaken = this.slow.add(request, this.now)
    const send = () => this.rig.send(id, { batch: size, width, priority, timeoutMicroseconds })
    if (isTaken) this.sent.push(send())
    else expect(send).toThrow('Exceeds maximum queue size')
  }

  async finish(which: number): Promise<void> {
    const running = [...this.rig.running]
    const batch = running[which % running.length]
    if (batch === undefined) return
    await batch.finish()
    this.slow.free(this.now)
  }

  /** In moves so small that the slow one, which has no timer, misses nothing: deadlines and delays are whole milliseconds. */
  advance(milliseconds: number): void {
    for (let i = 0; i < milliseconds; i++) {
      const start = Math.floor(this.now)
      this.rig.clock.advance(start + 0.0015 - this.now)
      this.slow.look(start + 0.001)
      this.rig.clock.advance(start + 1 - this.now)
      this.slow.look(this.now)
    }
  }

  cancel(which: number): void {
    const request = this.sent[which % this.sent.length]
    request?.cancel()
    if (request !== undefined) this.slow.cancel(request.id, this.now)
  }

  check(): void {
    const { rig, slow } = this
    expect(rig.ids).toEqual(slow.batches.map(({ ids }) => ids))
    for (const [i, { at }] of rig.batches.entries()) expect(at).toBeCloseTo(slow.batches[i]?.at ?? Number.NaN, 2)
    const expired = rig.heard.filter((line) => line.endsWith('timeout expired')).map((line) => line.split(' ')[0])
    expect(expired).toEqual(slow.rejected)
    expect(rig.stats.pending).toBe(slow.waiting.length)
    const { maxBatchSize, dynamicBatching } = rig.version.config
    for (const { size } of rig.batches) expect(size).toBeLessThanOrEqual(Math.max(1, maxBatchSize))
    expect(rig.running.size).toBeLessThanOrEqual(this.instances)
    expect(rig.clock.timers).toBeLessThanOrEqual(1)
    if (rig.running.size === this.instances) return
    const bound = (dynamicBatching?.maxQueueDelayMicroseconds ?? 0) / 1000
    for (const { enqueuedAt } of slow.waiting) expect(this.now).toBeLessThan(enqueuedAt + bound)
  }
}

test('does what the slow batcher does, loses nothing and answers once', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ scheduling, instances, steps }) => {
      const race = new Race(scheduling, instances)
      for (const next of steps) {
        if (next.do === 'send') race.send(next)
        else if (next.do === 'finish') await race.finish(next.which)
        else if (next.do === 'advance') race.advance(next.milliseconds)
        else race.cancel(next.which)
        race.check()
      }
      race.advance(10)
      while (race.rig.running.size > 0) {
        await race.finish(0)
        race.advance(10)
        race.check()
      }
      const { rig, sent } = race
      expect(rig.heard.map((line) => line.split(' ')[0]).toSorted()).toEqual(sent.map(({ id }) => id).toSorted())
      expect(rig.version.inflight).toBe(0)
      expect(rig.stats.pending).toBe(0)
      expect(rig.clock.timers).toBe(0)
      expect(rig.stats.success + rig.stats.failed).toBe(sent.length)
    }),
    { numRuns: 300 },
  )
})

test('a level is served in order of arrival', async () => {
  const sends = fc.array(fc.record({ priority: fc.integer({ min: 1, max: 3 }), finish: fc.boolean() }), {
    maxLength: 60,
  })
  await fc.assert(
    fc.asyncProperty(sends, async (list) => {
      const rig = new BatchRig('max_batch_size: 3 dynamic_batching { priority_levels: 3 default_priority_level: 1 }')
      const levels = new Map<string, number>()
      for (const [i, { priority, finish }] of list.entries()) {
        levels.set(String(i), priority)
        rig.send(String(i), { priority })
        if (finish) await rig.finish()
      }
      while (rig.running.size > 0) await rig.finish()
      const served = rig.ids.flat()
      expect(served).toHaveLength(list.length)
      for (const level of [1, 2, 3]) {
        const ids = served.filter((id) => levels.get(id) === level).map(Number)
        expect(ids).toEqual(ids.toSorted((a, b) => a - b))
      }
    }),
  )
})

test('with preserve_ordering callers hear in the order in which they asked', async () => {
  const finishes = fc.array(fc.nat(9), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(finishes, async (list) => {
      const rig = new BatchRig('max_batch_size: 2 dynamic_batching { preserve_ordering: true }', { instances: 3 })
      for (const [i, which] of list.entries()) {
        rig.send(String(i))
        const running = [...rig.running]
        if (which < running.length) await running[which]?.finish()
      }
      while (rig.running.size > 0) await [...rig.running].at(-1)?.finish()
      expect(rig.heard).toEqual(list.map((_, i) => `${i} ok`))
    }),
  )
})
