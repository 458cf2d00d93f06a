import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type OnDemandRig, onDemandRig, until } from './fixtures/on-demand-rig.ts'

/** Requests to a held model, so many at a time that it is never idle. */
class Traffic {
  readonly #rig: OnDemandRig
  readonly #model: string
  readonly #atOnce: number
  #open = 0
  answered = 0
  readonly errors: unknown[] = []

  constructor(rig: OnDemandRig, model: string, atOnce: number) {
    this.#rig = rig
    this.#model = model
    this.#atOnce = atOnce
    rig.backend.held.add(model)
  }

  /** One turn of it: what runs is answered, and as much is sent. */
  async goOn(): Promise<void> {
    while (this.#open < this.#atOnce) this.#send()
    await this.#rig.backend.answer(this.#model)
  }

  /** Resolves when nothing is under way any more, where the model is not held. */
  async end(): Promise<void> {
    await until(() => this.#open === 0)
  }

  #send(): void {
    this.#open++
    this.#rig
      .ask(this.#model)
      .then(
        () => this.answered++,
        (error: unknown) => this.errors.push(error),
      )
      .finally(() => this.#open--)
  }
}

test('with traffic without a pause on models that do not fit together, every request of each is answered', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 2, max: 4 }), { minLength: 2, maxLength: 4 }),
      fc.array(fc.integer({ min: 2, max: 5 }), { minLength: 4, maxLength: 4 }),
      fc.integer({ min: 1, max: 50 }),
      async (sizes, atOnce, step) => {
        const names = ['a', 'b', 'c', 'd'].slice(0, sizes.length)
        const rig = await onDemandRig(Object.fromEntries(names.map((name, at) => [name, sizes[at] ?? 0])), 5)
        const all = names.map((name, at) => new Traffic(rig, name, atOnce[at] ?? 2))
        // A model that starves ends the test by its timeout.
        while (all.some(({ answered }) => answered < 10)) {
          for (const traffic of all) await traffic.goOn()
          // Files are read in the time of the system, for which stores have patience on this clock.
          if (rig.figure('waiting_loads') > 0) await rig.clock.advance(step)
          expect(rig.backend.mostUsed).toBeLessThanOrEqual(5)
        }
        rig.backend.letGo()
        for (const traffic of all) await traffic.end()
        expect(all.flatMap(({ errors }) => errors.map(String))).toEqual([])
        await rig.server.stop()
        expect(rig.clock.timers).toBe(0)
      },
    ),
    { numRuns: 20 },
  )
})
