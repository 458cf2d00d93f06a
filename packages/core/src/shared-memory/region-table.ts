import { TritonError } from '../errors.ts'
import type { CudaRegion } from './cuda-region.ts'
import { RegisteredRegion } from './registered-region.ts'
import type { SystemRegion } from './system-region.ts'

/** Most regions at a time: each holds a descriptor. */
const maxRegions = 1024

/** The regions by name. It owns them. */
export class RegionTable {
  readonly #regions = new Map<string, RegisteredRegion>()
  /** Names of regions that are being opened. */
  readonly #opening = new Set<string>()
  #isClosed = false

  get(name: string): RegisteredRegion | undefined {
    return this.#regions.get(name)
  }

  /** In order of their names, as in Triton. */
  list(): RegisteredRegion[] {
    return [...this.#regions.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** @throws TritonError ALREADY_EXISTS for a name that is taken, UNAVAILABLE where there is no room for more. */
  add(name: string, open: () => SystemRegion): void {
    this.#expectRoom(name)
    this.#keep(open())
  }

  /** The same for a region that takes its time; its name is taken meanwhile. */
  async addLater(name: string, open: () => Promise<CudaRegion>): Promise<void> {
    this.#expectRoom(name)
    this.#opening.add(name)
    try {
      this.#keep(await open())
    } finally {
      this.#opening.delete(name)
    }
  }

  /** Takes no more, and lets go of what there is. */
  close(): void {
    this.#isClosed = true
    for (const registered of this.list()) registered.leave()
  }

  #keep(region: SystemRegion | CudaRegion): void {
    if (this.#isClosed) {
      // That was while it was opened.
      region.dispose()
      throw notReady()
    }
    const registered = new RegisteredRegion(region, ({ name }) => this.#regions.delete(name))
    this.#regions.set(registered.name, registered)
  }

  #expectRoom(name: string): void {
    if (this.#isClosed) throw notReady()
    if (this.#regions.has(name) || this.#opening.has(name)) {
      throw new TritonError('ALREADY_EXISTS', `shared memory region '${name}' already in manager`)
    }
    if (this.#regions.size + this.#opening.size < maxRegions) return
    const text = `failed to register shared memory region '${name}': there are ${maxRegions} already, unregister others first`
    throw new TritonError('UNAVAILABLE', text)
  }
}

const notReady = (): TritonError => new TritonError('UNAVAILABLE', 'Server not ready')
