import fc from 'fast-check'
import { expect, test } from 'vitest'
import { config, repository } from '../fixtures/server-rig.ts'
import { tellingBackend } from '../fixtures/telling-backend.ts'
import { Server } from '../index.ts'
import { chain, models } from './fixtures/ensemble-config.ts'

const names = ['m', 'n'] as const
/** What a model of each repository adds to its input. */
const numbers = [1, 10] as const

const place = fc.record({ repository: fc.constantFrom(0, 1), name: fc.constantFrom(...names, 'e') })
const acts = fc.array(fc.record({ load: fc.boolean(), place }), { minLength: 1, maxLength: 12 })
/** Which models each repository has beside its ensemble `e` of m and n. */
const contents = fc.tuple(fc.subarray([...names]), fc.subarray([...names]))

test('after any loads and unloads each ensemble runs the models of its own repository, or else the only ones', async () => {
  await fc.assert(
    fc.asyncProperty(contents, acts, async (contents, acts) => {
      const made = await Promise.all(
        contents.map((own) =>
          repository(models({ e: chain(...names), ...Object.fromEntries(own.map((name) => [name, config()])) })),
        ),
      )
      const paths = made.map(({ path }) => path)
      const { backend } = tellingBackend((directory) => (directory.startsWith(paths[0] as string) ? 1 : 10))
      await using server = await Server.start({
        modelRepository: paths,
        modelNamespacing: true,
        modelControl: 'explicit',
        backends: [backend],
      })
      const idOf = (at: number, name: string): string => `${paths[at]}::${name}`
      const has = (at: number, name: string): boolean => contents[at]?.includes(name as 'm' | 'n') ?? false
      const wanted = new Set<string>()
      /** Where the one of these repositories is that `isThere`: the own one, or else the only one. */
      const find = (own: number, isThere: (at: number) => boolean): number | undefined => {
        if (isThere(own)) return own
        const there = [0, 1].filter(isThere)
        return there.length === 1 ? there[0] : undefined
      }
      /** What the ensemble adds; undefined when it cannot be served. */
      const expected = (own: number): number | undefined => {
        if (!wanted.has(idOf(own, 'e'))) return undefined
        const steps = names.map((name) => find(own, (at) => wanted.has(idOf(at, name))))
        if (steps.includes(undefined)) return undefined
        return steps.reduce<number>((sum, at) => sum + (numbers[at as 0 | 1] as number), 0)
      }
      for (const { load, place } of acts) {
        const id = idOf(place.repository, place.name)
        if (load) {
          if (place.name === 'e') {
            wanted.add(id)
            for (const name of names) {
              const at = find(place.repository, (at) => has(at, name))
              if (at !== undefined) wanted.add(idOf(at, name))
            }
          } else if (has(place.repository, place.name)) wanted.add(id)
          await server.load(id).catch(() => {})
        } else {
          wanted.delete(id)
          await server.unload(id)
        }
        for (const own of [0, 1]) {
          const answer = server.infer(idOf(own, 'e'), { IN: new Float32Array([0, 0]) })
          const added = await answer.then(
            ({ OUT }) => OUT?.data[0],
            () => undefined,
          )
          expect(added).toBe(expected(own))
        }
      }
    }),
    { numRuns: 60 },
  )
})
