/** Whether a model version is being loaded, or is getting other instances: who asks it for something has to wait then. */
export class LoadPhase {
  #running = 0

  get isLoading(): boolean {
    return this.#running > 0
  }

  async during<T>(load: () => Promise<T>): Promise<T> {
    this.#running++
    try {
      return await load()
    } finally {
      this.#running--
    }
  }
}
