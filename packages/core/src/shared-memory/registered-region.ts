import type { CudaRegion } from './cuda-region.ts'
import type { SystemRegion } from './system-region.ts'

/** A region under its name, with the requests that use it. It goes when it is to go and none does. */
export class RegisteredRegion {
  readonly region: SystemRegion | CudaRegion
  readonly #onGone: (gone: RegisteredRegion) => void
  #uses = 0
  #isLeaving = false

  /** @param onGone is told when it is gone. */
  constructor(region: SystemRegion | CudaRegion, onGone: (gone: RegisteredRegion) => void) {
    this.region = region
    this.#onGone = onGone
  }

  get name(): string {
    return this.region.status.name
  }

  use(): void {
    this.#uses++
  }

  /** Once for each `use`. */
  release(): void {
    this.#uses--
    this.#goIfUnused()
  }

  /** Lets it go as soon as nothing uses it; requests that come until then still may, as in Triton. */
  leave(): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    this.#goIfUnused()
  }

  #goIfUnused(): void {
    if (!this.#isLeaving || this.#uses > 0) return
    this.#onGone(this)
    this.region.dispose()
  }
}
