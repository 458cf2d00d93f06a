/** What a process does just now. */
export class Activities {
  readonly #current = new Set<{ readonly text: string }>()

  /** @param text `it loaded`, for instance. @returns ends it. */
  begin(text: string): () => void {
    const activity = { text }
    this.#current.add(activity)
    return () => {
      this.#current.delete(activity)
    }
  }

  get texts(): string[] {
    return Array.from(this.#current, ({ text }) => text)
  }
}
