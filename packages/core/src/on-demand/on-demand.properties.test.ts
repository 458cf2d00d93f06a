import fc from 'fast-check'
import { expect, test } from 'vitest'
import { input } from '../fixtures/server-rig.ts'
import type { Lease } from '../index.ts'
import { onDemandRig, turns } from './fixtures/on-demand-rig.ts'

const names = ['a', 'b', 'c', 'd'] as const
const model = fc.constantFrom(...names)
const sizes = fc.record({
  a: fc.integer({ min: 0, max: 4 }),
  b: fc.integer({ min: 1, max: 4 }),
  c: fc.integer({ min: 1, max: 4 }),
  d: fc.integer({ min: 1, max: 4 }),
})

/** Least recently used first, as plainly as it can be said. */
class PlainCache {
  readonly log: string[] = []
  readonly #sizes: Readonly<Record<string, number>>
  readonly #budget: number
  #models: string[] = []

  constructor(sizes: Readonly<Record<string, number>>, budget: number) {
    this.#sizes = sizes
    this.#budget = budget
  }

  ask(name: string): void {
    const isThere = this.#models.includes(name)
    this.#models = this.#models.filter((other) => other !== name)
    if (!isThere) {
      while (this.#sizeOf([...this.#models, name]) > this.#budget) this.log.push(`-${this.#models.shift()}`)
      this.log.push(`+${name}`)
    }
    this.#models.push(name)
  }

  #sizeOf(models: readonly string[]): number {
    return models.reduce((sum, name) => sum + (this.#sizes[name] ?? 0), 0)
  }
}

test('models come and go in the order of a plain list', async () => {
  await fc.assert(
    fc.asyncProperty(
      sizes,
      fc.integer({ min: 4, max: 12 }),
      fc.array(model, { maxLength: 20 }),
      async (bytes, budget, asked) => {
        const { backend, ask, server } = await onDemandRig(bytes, budget)
        const plain = new PlainCache(bytes, budget)
        for (const name of asked) {
          await ask(name)
          plain.ask(name)
          // The order in which several models of one load end does not matter.
          expect(parts(backend.log)).toEqual(parts(plain.log))
        }
        await server.stop()
      },
    ),
    { numRuns: 30 },
  )
})

/** What went together, sorted, before each model that came. */
const parts = (log: readonly string[]): string[] =>
  log
    .join(' ')
    .split(/(?=\+)/)
    .map((part) => part.trim().split(' ').sort().join(' '))

type Step =
  | { readonly kind: 'ask' | 'answer' | 'lease' | 'letGo' | 'breakOrMend' | 'load' | 'unload'; readonly model: string }
  | { readonly kind: 'askBriefly'; readonly model: string; readonly how: 'signal' | 'timeout' }
  | { readonly kind: 'abort' }
  | { readonly kind: 'time'; readonly milliseconds: number }
  | { readonly kind: 'turns'; readonly count: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('ask' as const), model }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('answer' as const), model }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'lease' as const,
        'letGo' as const,
        'breakOrMend' as const,
        'load' as const,
        'unload' as const,
      ),
      model,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('askBriefly' as const),
      model,
      how: fc.constantFrom('signal' as const, 'timeout' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'abort' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('time' as const), milliseconds: fc.integer({ min: 1, max: 5000 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('turns' as const), count: fc.integer({ min: 1, max: 20 }) }) },
)

test('whatever happens, the budget holds, leases hold, and every request has an answer', async () => {
  await fc.assert(
    fc.asyncProperty(
      sizes,
      fc.integer({ min: 4, max: 9 }),
      fc.array(step, { maxLength: 40 }),
      async (bytes, budget, steps) => {
        const { server, backend, clock, ask, loaded } = await onDemandRig(bytes, budget)
        for (const name of names) backend.held.add(name)
        const answers: Promise<string>[] = []
        const leases: Lease[] = []
        const leasing: Promise<void>[] = []
        const aborts: AbortController[] = []
        const heard = (work: Promise<unknown>): void => {
          answers.push(
            work.then(
              () => 'ok',
              (error: { code: string }) => error.code,
            ),
          )
        }
        const unloaded = new Set<string>()
        for (const each of steps) {
          switch (each.kind) {
            case 'ask':
              heard(ask(each.model))
              break
            case 'askBriefly': {
              const abort = new AbortController()
              aborts.push(abort)
              const limit = each.how === 'signal' ? { signal: abort.signal } : { timeoutMicroseconds: 1_000_000 }
              heard(server.infer(each.model, input(), limit))
              break
            }
            case 'answer':
              await backend.answer(each.model)
              break
            case 'lease': {
              const abort = new AbortController()
              aborts.push(abort)
              leasing.push(
                server.lease(each.model, { signal: abort.signal }).then(
                  (lease) => void leases.push(lease),
                  () => {},
                ),
              )
              break
            }
            case 'letGo':
              await leases.shift()?.[Symbol.asyncDispose]()
              break
            case 'breakOrMend':
              if (!backend.broken.delete(each.model)) backend.broken.add(each.model)
              break
            case 'load':
              heard(server.load(each.model))
              break
            case 'unload':
              unloaded.add(each.model)
              heard(server.unload(each.model))
              break
            case 'abort':
              aborts.shift()?.abort()
              break
            case 'time':
              await clock.advance(each.milliseconds)
              break
            case 'turns':
              await turns(each.count)
              break
          }
          expect(backend.mostUsed).toBeLessThanOrEqual(budget)
          const there = await loaded()
          for (const { name } of leases) if (!unloaded.has(name)) expect(there).toContain(name)
        }
        backend.broken.clear()
        for (const abort of aborts) abort.abort()
        await Promise.all(leasing)
        for (const lease of leases) await lease[Symbol.asyncDispose]()
        let open = answers.length
        for (const answer of answers) void answer.finally(() => open--)
        // How many turns reading files takes is not known; an answer that never comes ends the test by its timeout.
        for (let turn = 0; open > 0; turn++) {
          for (const name of names) {
            await backend.answer(name)
            // What was pinned would keep others out.
            if (turn % 50 === 49) await server.unload(name)
          }
        }
        for (const answer of await Promise.all(answers)) {
          expect(['ok', 'UNAVAILABLE', 'CANCELLED', 'INVALID_ARG', 'NOT_FOUND']).toContain(answer)
        }
        expect(backend.mostUsed).toBeLessThanOrEqual(budget)
        await server.stop()
        expect(backend.log.filter((line) => line.startsWith('+')).length).toBe(
          backend.log.filter((line) => line.startsWith('-')).length,
        )
      },
    ),
    { numRuns: 60 },
  )
})
