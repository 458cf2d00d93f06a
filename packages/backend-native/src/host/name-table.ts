import type { ModelConfig } from '@triton-ts/core'

/** The tensors that a model's configuration names, which records call by their place in this list. */
export class NameTable {
  readonly names: readonly string[]
  readonly #indices: ReadonlyMap<string, number>

  constructor(names: Iterable<string>) {
    this.names = [...new Set(names)]
    this.#indices = new Map(this.names.map((name, index) => [name, index]))
  }

  static ofConfig({ input, output, sequenceBatching }: ModelConfig): NameTable {
    return new NameTable([
      ...input.map(({ name }) => name),
      ...output.map(({ name }) => name),
      ...(sequenceBatching?.controlInput ?? []).map(({ name }) => name),
      ...(sequenceBatching?.state ?? []).flatMap(({ inputName, outputName }) => [inputName, outputName]),
    ])
  }

  /** -1 for a name that the configuration does not have. */
  index(name: string): number {
    return this.#indices.get(name) ?? -1
  }
}
