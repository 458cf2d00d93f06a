import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cloudRig, filesIn, modelFiles } from '../../fixtures/cloud-rig.ts'
import { type Fault, MemoryStore } from '../../fixtures/memory-store.ts'
import type { ModelDirectory } from '../repository-source.ts'

const model = fc.constantFrom('m', 'n')
const path = fc.constantFrom('config.pbtxt', '1/a', '1/b', '2/a', '2/deep/c', '3/')
const content = fc.constantFrom('', 'one', 'two', 'three', 'more')
const fault = fc.constantFrom<Fault>('busy', 'truncate', 'break', 'stall', 'hang')
const step = fc.oneof(
  fc.record({ kind: fc.constant('put'), model, path, content }),
  fc.record({ kind: fc.constant('delete'), model, path }),
  fc.record({ kind: fc.constant('open'), model, faults: fc.array(fault, { maxLength: 3 }) }),
  fc.record({ kind: fc.constantFrom('close', 'restart') }),
)

/** A store, what it should have, and a source of it. */
class World {
  readonly #store = new MemoryStore()
  readonly #contents = new Map<string, string>()
  /** What was brought at any time, as the source tells contents apart. */
  readonly #brought = new Set<string>()
  #open: { readonly model: ModelDirectory; readonly files: Record<string, string> }[] = []
  #rig = cloudRig({ store: this.#store })

  constructor(tellsMd5: boolean) {
    this.#store.tellsMd5 = tellsMd5
  }

  put(key: string, content: string): void {
    const actual = key.endsWith('/') ? '' : content
    this.#store.put(key, actual)
    this.#contents.set(key, actual)
  }

  delete(key: string): void {
    this.#store.delete(key)
    this.#contents.delete(key)
  }

  async open(name: string, faults: readonly Fault[]): Promise<void> {
    const { source } = await this.#rig
    const found = (await source.lookAll()).get(name)
    const fresh = await this.#fresh(name)
    this.#store.reads.length = 0
    if (fresh.size > 0) this.#store.next('read', ...faults)
    const model = await found?.open()
    const isRead = new Set(this.#store.reads)
    expect([...fresh.values()].map((keys) => keys.filter((key) => isRead.has(key)).length)).toEqual(
      Array(fresh.size).fill(1),
    )
    expect(isRead.size).toBe(fresh.size)
    for (const identity of fresh.keys()) this.#brought.add(identity)
    const files = this.#files(name)
    if (model === undefined) return expect(files).toEqual({})
    this.#open.push({ model, files })
    expect(await filesIn(model.directory)).toEqual(files)
  }

  async close(): Promise<void> {
    for (const { model, files } of this.#open.splice(0)) {
      expect(await filesIn(model.directory)).toEqual(files)
      await model.dispose()
    }
    expect(await modelFiles((await this.#rig).cache)).toEqual([])
  }

  async restart(): Promise<void> {
    await this.close()
    const { source, cache } = await this.#rig
    await source.dispose()
    this.#rig = cloudRig({ store: this.#store, cache })
    await this.#rig
  }

  /** Keys of contents that were never brought, by content. */
  async #fresh(name: string): Promise<Map<string, string[]>> {
    const fresh = new Map<string, string[]>()
    for (const { key, etag, md5 } of await this.#store.list(`${name}/`)) {
      const identity = md5 ?? key + etag
      if (key.endsWith('/') || this.#brought.has(identity)) continue
      fresh.set(identity, [...(fresh.get(identity) ?? []), key])
    }
    return fresh
  }

  #files(name: string): Record<string, string> {
    const mine = [...this.#contents].filter(([key]) => key.startsWith(`${name}/`))
    return Object.fromEntries(mine.map(([key, content]) => [key.slice(name.length + 1), content]))
  }
}

test.each([true, false])(
  'after any changes, a directory is what the store had, and only what is new is read (MD5 told: %s)',
  async (tellsMd5) => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const world = new World(tellsMd5)
      for (const current of steps) {
        if (current.kind === 'put') world.put(`${current.model}/${current.path}`, current.content)
        else if (current.kind === 'delete') world.delete(`${current.model}/${current.path}`)
        else if (current.kind === 'open') await world.open(current.model, current.faults)
        else if (current.kind === 'close') await world.close()
        else await world.restart()
      }
      await world.close()
    })
    await fc.assert(property, { numRuns: 60 })
  },
)
