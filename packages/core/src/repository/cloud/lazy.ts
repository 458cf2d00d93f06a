/** Something that is made when it is first needed; what could not be made is tried again at the next use. */
export class Lazy<T> {
  readonly #make: () => Promise<T>
  #made: Promise<T> | undefined

  constructor(make: () => Promise<T>) {
    this.#make = make
  }

  /** Undefined until the first use. */
  get started(): Promise<T> | undefined {
    return this.#made
  }

  get(): Promise<T> {
    if (this.#made === undefined) {
      const made = this.#make()
      made.catch(() => {
        if (this.#made === made) this.#made = undefined
      })
      this.#made = made
    }
    return this.#made
  }
}
