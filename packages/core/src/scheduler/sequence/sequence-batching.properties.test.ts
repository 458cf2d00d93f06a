import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { InferenceRequest } from '../../request/inference-request.ts'
import { SequenceRig } from './fixtures/sequence-rig.ts'
import { SlowSequencer } from './fixtures/slow-sequencer.ts'

const direct = fc.constantFrom(
  '',
  'direct { minimum_slot_utilization: 0.5 max_queue_delay_microseconds: 3300 }',
  'direct { minimum_slot_utilization: 1 max_queue_delay_microseconds: 3300 }',
)
const oldest = fc
  .record({ candidates: fc.integer({ min: 0, max: 6 }), delay: fc.constantFrom(0, 0, 3300) })
  .map(
    ({ candidates, delay }) =>
      `oldest { max_candidate_sequences: ${candidates} max_queue_delay_microseconds: ${delay} }`,
  )

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
      start: fc.boolean(),
      end: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
      timeout: fc.constantFrom(0, 0, 0, 2.5, 7.7),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('finish' as const), which: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('advance' as const), milliseconds: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat(99) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const scenario = fc.record({
  maxBatchSize: fc.integer({ min: 1, max: 4 }),
  batching: fc.oneof(direct, oldest),
  instances: fc.integer({ min: 1, max: 3 }),
  steps: fc.array(step, { maxLength: 80, size: 'max' }),
})

/** The rig and the slow sequencer, led through the same steps. */
class Race {
  readonly rig: SequenceRig
  readonly slow: SlowSequencer
  readonly sent: InferenceRequest[] = []

  constructor(maxBatchSize: number, batching: string, instances: number) {
    this.rig = new SequenceRig(maxBatchSize, `${batching} max_sequence_idle_microseconds: 9010`, { instances })
    this.slow = new SlowSequencer(this.rig.version.config, instances)
  }

  get now(): number {
    return this.rig.clock.now()
  }

  async take(step: Step): Promise<void> {
    // No two steps happen at the same time, so that no two timers do.
    this.advance(0.0137)
    if (step.do === 'send') this.#send(step)
    else if (step.do === 'finish') await this.finish(step.which)
    else if (step.do === 'advance') this.advance(step.milliseconds)
    else this.#cancel(step.which)
    this.#check()
  }

  async finish(which: number): Promise<void> {
    const running = [...this.rig.running]
    const batch = running[which % running.length]
    if (batch === undefined) return
    await batch.finish()
    this.slow.finish(Number(batch.instance.slice(2)), this.now)
  }

  advance(milliseconds: number): void {
    const end = this.now + milliseconds
    for (let { next } = this.slow; next <= end; next = this.slow.next) {
      this.rig.clock.advance(Math.max(0, next + 1e-7 - this.now))
      this.slow.look(this.now)
    }
    this.rig.clock.advance(Math.max(0, end - this.now))
  }

  #send({ name, start, end, timeout }: Extract<Step, { do: 'send' }>): void {
    const id = `${name}${this.sent.length}`
    const options = { sequenceStart: start, sequenceEnd: end, timeoutMicroseconds: timeout * 1000 }
    if (start || this.slow.isLive(name)) {
      this.sent.push(this.rig.step(id, options))
      this.slow.send(id, name, end, timeout, this.now)
    } else expect(() => this.rig.step(id, options)).toThrow('START')
  }

  #cancel(which: number): void {
    const request = this.sent[which % this.sent.length]
    request?.cancel()
    if (request !== undefined) this.slow.cancel(request.id, this.now)
  }

  #check(): void {
    const { rig, slow } = this
    expect(rig.batches.map(({ instance, ids }) => [instance, ...ids])).toEqual(
      slow.batches.map(({ instance, ids }) => [`m_${instance}`, ...ids]),
    )
    for (const [i, { at }] of rig.batches.entries()) expect(at).toBeCloseTo(slow.batches[i]?.at ?? Number.NaN, 4)
    const told = (text: string) => rig.heard.filter((line) => line.includes(text)).map((line) => line.split(' ')[0])
    expect(told('expired').toSorted()).toEqual(slow.expired.toSorted())
    expect(rig.stats.pending).toBe(slow.pending)
    for (const { size } of rig.batches) expect(size).toBeLessThanOrEqual(rig.version.config.maxBatchSize)
    const instances = [...rig.running].map(({ instance }) => instance)
    expect(new Set(instances).size).toBe(instances.length)
  }
}

test('does what the slow sequencer does, loses nothing and answers once', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ maxBatchSize, batching, instances, steps }) => {
      const race = new Race(maxBatchSize, batching, instances)
      for (const next of steps) await race.take(next)
      const { rig, sent } = race
      race.advance(20)
      for (let round = 0; round < 200 && rig.running.size + rig.stats.pending > 0; round++) {
        await race.finish(0)
        race.advance(20)
      }
      expect(rig.heard.map((line) => line.split(' ')[0]).toSorted()).toEqual(sent.map(({ id }) => id).toSorted())
      expect(rig.version.inflight).toBe(0)
      expect(rig.stats.pending).toBe(0)
      expect(rig.clock.timers).toBe(0)
      expect(rig.stats.success + rig.stats.failed).toBe(sent.length)
      await rig.version.drained()
    }),
    { numRuns: 300 },
  )
})
