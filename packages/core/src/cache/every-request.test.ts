import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tensor } from '../index.ts'
import { encodeEntry } from './cache-entry.ts'
import { answer, cachedServer, input, settle } from './fixtures/cached-server.ts'
import { SlowCache } from './fixtures/slow-cache.ts'

const actions = ['infer', 'infer', 'hit', 'miss', 'break', 'run', 'stored', 'cancel', 'wait'] as const
const steps = fc.array(fc.tuple(fc.constantFrom(...actions), fc.nat(9)), { maxLength: 40 })
const batchings = fc.constantFrom(
  '',
  'dynamic_batching { preserve_ordering: true }',
  'dynamic_batching { preserve_ordering: true default_queue_policy { max_queue_size: 1 } }',
)
const ends = fc.constantFrom('unload', 'stop', 'stop in vain')

const exitTimeout = 5
const answerTo = (n: number) => new Float32Array([2 * n, 2 * n])
const entryOf = (n: number) => encodeEntry({ OUT: tensor('FP32', [1, 2], answerTo(n)) })

interface Caller {
  readonly n: number
  readonly abort: AbortController
  readonly heard: string[]
}

test('every request is answered once, truly and in order, whatever a slow cache and the callers do', async () => {
  await fc.assert(
    fc.asyncProperty(batchings, steps, ends, async (batching, steps, end) => {
      const cache = new SlowCache()
      const control = { modelControl: 'explicit', loadModels: ['m'] } as const
      const { server, backend, clock } = await cachedServer(batching, { cache, exitTimeout, ...control })
      // Each has the lookup of the same place.
      const callers: Caller[] = []
      const order: Caller[] = []
      const ran: string[] = []
      const infer = (n: number): void => {
        const caller: Caller = { n, abort: new AbortController(), heard: [] }
        const id = String(callers.push(caller))
        server.infer('m', input(n), { id, signal: caller.abort.signal }).then(
          ({ OUT }) => {
            expect(OUT?.data).toEqual(answerTo(n))
            caller.heard.push('answer')
            order.push(caller)
          },
          ({ code }) => caller.heard.push(code),
        )
      }
      const run = async (): Promise<void> => {
        while (backend.waiting > 0) {
          const execution = await backend.next()
          ran.push(...execution.requests.map(({ id }) => id))
          answer(execution)
        }
      }
      const expectAllHeard = () => expect(callers.map(({ heard }) => heard.length)).toEqual(callers.map(() => 1))

      for (const [action, n] of steps) {
        const place = n % Math.max(1, callers.length)
        const [caller, lookup] = [callers[place], cache.lookups[place]]
        if (action === 'infer') infer(n % 3)
        else if (action === 'hit') lookup?.answer(entryOf(caller?.n as number))
        else if (action === 'miss') lookup?.answer()
        else if (action === 'break') lookup?.fail(new Error('broken'))
        else if (action === 'run') await run()
        else if (action === 'stored') cache.inserts[n]?.answer()
        else if (action === 'cancel') caller?.abort.abort()
        else clock.advance(n * 150)
        await settle()
      }
      const ended = (end === 'unload' ? server.unload('m') : server.stop()).catch(() => {})
      if (end === 'stop in vain') {
        clock.advance(exitTimeout * 1000)
        await settle()
        expectAllHeard()
      }
      for (const lookup of cache.lookups) lookup.answer()
      for (let i = 0; i <= callers.length; i++) {
        await settle()
        await run()
      }
      for (const insert of cache.inserts) insert.answer()
      await ended
      await server.stop().catch(() => {})
      await settle()
      expectAllHeard()
      expect(ran).toEqual([...new Set(ran)])
      if (batching !== '') expect(order).toEqual(callers.filter((caller) => order.includes(caller)))
      expect([cache.log, clock.timers]).toEqual([['open', 'dispose'], 0])
    }),
  )
})
