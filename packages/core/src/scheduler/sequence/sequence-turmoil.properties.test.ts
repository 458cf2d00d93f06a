import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ExecutionRequest } from '../../backend/backend.ts'
import { TritonError } from '../../errors.ts'
import { RateLimiter } from '../../instance/rate-limiter.ts'
import type { InferenceRequest } from '../../request/inference-request.ts'
import type { RigBatch } from '../fixtures/batch-rig.ts'
import { SequenceRig } from './fixtures/sequence-rig.ts'
import type { Sequence } from './sequence.ts'
import type { SequenceStep } from './sequence-step.ts'

const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary })
const does = <const K extends string, T>(what: K, fields: { [F in keyof T]: fc.Arbitrary<T[F]> }) =>
  fc.record({ do: fc.constant(what), ...fields }) as unknown as fc.Arbitrary<{ do: K } & T>

/** What a backend may do with a request. */
const ways = ['answers', 'fails', 'keeps', 'forgets', 'repeats'] as const
type Way = (typeof ways)[number]

const step = fc.oneof(
  weighted(
    12,
    does('send', {
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      start: fc.boolean(),
      end: fc.boolean(),
      width: fc.constantFrom(1, 1, 2),
      timeoutMicroseconds: fc.constantFrom(0, 0, 2500),
    }),
  ),
  weighted(
    4,
    does('finish', { which: fc.nat(9), how: fc.array(fc.constantFrom(...ways), { minLength: 1, maxLength: 4 }) }),
  ),
  weighted(1, does('crash', { which: fc.nat(9) })),
  weighted(2, does('advance', { milliseconds: fc.integer({ min: 1, max: 6 }) })),
  weighted(1, does('cancel', { which: fc.nat(99) })),
  weighted(1, does('abort', {})),
  weighted(1, does('answer kept', {})),
  weighted(1, does('instances', { removed: fc.nat(7), added: fc.nat(2) })),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const scenario = fc.record({
  maxBatchSize: fc.integer({ min: 1, max: 4 }),
  batching: fc.constantFrom(
    '',
    'direct { minimum_slot_utilization: 0.5 max_queue_delay_microseconds: 3300 }',
    'oldest { max_candidate_sequences: 3 }',
    'oldest { max_candidate_sequences: 5 max_queue_delay_microseconds: 3300 preserve_ordering: true }',
  ),
  isIterative: fc.boolean(),
  instances: fc.integer({ min: 1, max: 3 }),
  /** Instances that may run at a time; 0: all. */
  turns: fc.constantFrom(0, 0, 1, 2),
  ending: fc.constantFrom('drained', 'abandoned', 'disposed'),
  steps: fc.array(step, { maxLength: 60, size: 'max' }),
})
type Scenario = typeof scenario extends fc.Arbitrary<infer S> ? S : never

const stepOf = (request: ExecutionRequest) => (request as InferenceRequest).sequenceStep as SequenceStep

/** Callers, a backend and an operator who do what they like; the rules that hold whatever they do. */
class Turmoil {
  readonly rig: SequenceRig
  readonly #isDirect: boolean
  readonly #isIterative: boolean
  readonly #turns: number
  readonly #sent: InferenceRequest[] = []
  readonly #kept: ExecutionRequest[] = []
  #abort = new AbortController()
  /** How many there ever were. */
  #instances: number
  #checked = 0
  /** Instance, and position in a direct batch. */
  readonly #places = new Map<Sequence, string>()
  readonly #lastRun = new Map<Sequence, number>()

  constructor({ maxBatchSize, batching, isIterative, instances, turns }: Scenario) {
    this.#isDirect = !batching.startsWith('oldest')
    this.#isIterative = isIterative
    this.#turns = turns
    this.#instances = instances
    const rateLimiter = turns > 0 ? new RateLimiter([{ name: 'R', count: turns }]) : undefined
    this.rig = new SequenceRig(
      maxBatchSize,
      `${batching} iterative_sequence: ${isIterative} max_sequence_idle_microseconds: 9010`,
      { instances, rateLimiter, inputs: 'input { name: "IN" data_type: TYPE_FP32 dims: -1 }' },
    )
  }

  async take(step: Step): Promise<void> {
    const { rig } = this
    rig.clock.advance(0.0137)
    if (step.do === 'send') this.#send(step)
    else if (step.do === 'finish') await this.#finish(step.which, step.how)
    else if (step.do === 'crash') await [...rig.running][step.which % rig.running.size]?.fail(new Error('crash'))
    else if (step.do === 'advance') rig.clock.advance(step.milliseconds)
    else if (step.do === 'cancel') this.#sent[step.which % this.#sent.length]?.cancel()
    else if (step.do === 'abort') this.#abortAll()
    else if (step.do === 'answer kept') this.#answerKept()
    else this.#changeInstances(step.removed, step.added)
    this.#check()
  }

  /** Everything that is left is answered, once, and nothing stays behind. */
  async end(ending: Scenario['ending']): Promise<void> {
    const { rig } = this
    rig.version.stopAccepting()
    const drained = rig.version.drained()
    if (ending === 'abandoned') rig.version.abandonAll(new TritonError('UNAVAILABLE', 'over'))
    const disposed = ending === 'disposed' ? rig.version.dispose() : undefined
    for (let quiet = 0; quiet < 6; quiet = rig.running.size > 0 ? 0 : quiet + 1) {
      while (this.#kept.length > 0) this.#answerKept()
      await this.#finish(0, ['answers'])
      this.#check()
      rig.clock.advance(5)
    }
    await drained
    await (disposed ?? rig.version.dispose())
    const answered = rig.heard.map((line) => line.split(' ')[0])
    expect(answered.toSorted()).toEqual(this.#sent.map(({ id }) => id).toSorted())
    expect(rig.disposed.toSorted()).toEqual(Array.from({ length: this.#instances }, (_, i) => `m_${i}`).toSorted())
    expect([rig.version.inflight, rig.stats.pending, rig.clock.timers]).toEqual([0, 0, 0])
  }

  #send({ name, start, end, width, timeoutMicroseconds }: Extract<Step, { do: 'send' }>): void {
    const options = { sequenceStart: start, sequenceEnd: end, width, timeoutMicroseconds }
    const { signal } = this.#abort
    try {
      this.#sent.push(this.rig.step(`${name}${this.#sent.length}`, name < 'c' ? { ...options, signal } : options))
    } catch (error) {
      expect(String(error)).toContain('must specify the START flag')
    }
  }

  async #finish(which: number, how: readonly Way[]): Promise<void> {
    const batch = [...this.rig.running][which % this.rig.running.size]
    await batch?.finish((request) => this.#treat(request, how[batch.requests.indexOf(request) % how.length] as Way))
  }

  #treat(request: ExecutionRequest, way: Way): void {
    if (way === 'forgets') return
    if (way === 'keeps') {
      request.keep()
      if (request.id !== '') this.#kept.push(request)
    } else if (way === 'fails') request.fail(new TritonError('INTERNAL', 'failed'))
    else if (way === 'answers' || !this.#isIterative) request.respond({ outputs: {} })
    else {
      try {
        request.reschedule()
      } catch (error) {
        request.fail(TritonError.from(error))
      }
    }
  }

  #answerKept(): void {
    this.#kept.shift()?.respond({ outputs: {} })
  }

  #abortAll(): void {
    this.#abort.abort()
    this.#abort = new AbortController()
  }

  #changeInstances(removed: number, count: number): void {
    const { version } = this.rig
    const isRemoved = (_: unknown, i: number): boolean => ((removed >> i) & 1) === 1
    const kept = version.instances.filter((instance, i) => !isRemoved(instance, i))
    const added = Array.from({ length: kept.length === 0 ? count + 1 : count }, () =>
      this.rig.createInstance(`m_${this.#instances++}`),
    )
    version.changeInstances(version.config, { kept, added, surplus: version.instances.filter(isRemoved) })
  }

  /** Looks at the batches that are new. */
  #check(): void {
    const { rig } = this
    for (const batch of rig.batches.slice(this.#checked)) this.#checkBatch(batch)
    this.#checked = rig.batches.length
    const busy = [...rig.running].map(({ instance }) => instance)
    expect(new Set(busy).size).toBe(busy.length)
    if (this.#turns > 0) expect(busy.length).toBeLessThanOrEqual(this.#turns)
    expect(busy.filter((instance) => rig.disposed.includes(instance))).toEqual([])
  }

  #checkBatch({ instance, requests }: RigBatch): void {
    expect(requests.length).toBeLessThanOrEqual(this.rig.version.config.maxBatchSize)
    expect(new Set(requests.map(({ inputs }) => String(inputs.get('IN')?.shape))).size).toBe(1)
    const real = requests.filter(({ id }) => id !== '')
    const sequences = real.map((request) => stepOf(request).sequence)
    expect(new Set(sequences).size).toBe(sequences.length)
    for (const [i, sequence] of sequences.entries()) {
      const request = real[i] as ExecutionRequest
      const place = this.#isDirect ? `${instance} ${requests.indexOf(request)}` : instance
      expect(this.#places.get(sequence) ?? place).toBe(place)
      this.#places.set(sequence, place)
      if (stepOf(request).isRepeated) continue
      const number = Number(request.id.slice(1))
      expect(this.#lastRun.get(sequence) ?? 0).toBeLessThanOrEqual(number)
      this.#lastRun.set(sequence, number)
    }
  }
}

test('whatever callers, backend and operator do, every request is answered once and sequences keep place and order', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const turmoil = new Turmoil(given)
      for (const next of given.steps) await turmoil.take(next)
      await turmoil.end(given.ending)
    }),
    { numRuns: 300 },
  )
})
