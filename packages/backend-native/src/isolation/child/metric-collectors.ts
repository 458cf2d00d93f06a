import type { MetricCollector, MetricFamilySnapshot } from '@triton-ts/core/backend'

/** The metrics of the child's model. */
export class MetricCollectors {
  readonly #entries = new Set<{ readonly collect: MetricCollector }>()

  /** @returns takes the collector away again. */
  add(collect: MetricCollector): () => void {
    const entry = { collect }
    this.#entries.add(entry)
    return () => {
      this.#entries.delete(entry)
    }
  }

  collect(): MetricFamilySnapshot[] {
    return [...this.#entries].flatMap(({ collect }) => [...collect()])
  }
}
