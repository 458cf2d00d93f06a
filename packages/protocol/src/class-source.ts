import type { Model } from '@triton-ts/core'

/** What has to be known of a model whose outputs are replaced by their best classes. */
export interface ClassSource {
  readonly hasBatch: boolean
  label(output: string, index: number): string
}

/** What ranking needs of a model, looked up while it is certainly there; nothing where no output is `classified`. */
export function classSource(model: Model, classified: readonly string[]): ClassSource | undefined {
  if (classified.length === 0) return undefined
  const labels = new Map(classified.map((output) => [output, model.classLabels(output)]))
  return { hasBatch: model.config.maxBatchSize > 0, label: (output, index) => labels.get(output)?.[index] ?? '' }
}
