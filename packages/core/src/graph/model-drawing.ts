import type { EnsembleStep, ModelConfig } from '../config/model-config.ts'
import type { MermaidText } from './mermaid-text.ts'

/** Where a tensor comes from. */
interface Source {
  readonly node: string
  readonly isOptional: boolean
}

/** Draws a model with its inputs and outputs; an ensemble with its steps, those of ensembles among them included. */
export class ModelDrawing {
  readonly #text: MermaidText
  readonly #configs: ReadonlyMap<string, ModelConfig>
  /** Ensembles whose steps are drawn; the next time they are one box, so that a chart never gets too large. */
  readonly #drawn = new Set<string>()

  /** @param configs by name; a model that is not among them is marked. */
  constructor(text: MermaidText, configs: ReadonlyMap<string, ModelConfig>) {
    this.#text = text
    this.#configs = configs
  }

  draw(name: string): void {
    const config = this.#configs.get(name)
    if (config?.ensembleScheduling !== undefined) {
      this.#drawn.add(name)
      this.#drawSteps(config, '')
      return
    }
    this.#drawModel('model', name, name)
    const inputs = this.#drawInputs(config, '')
    for (const [input, { node, isOptional }] of inputs) this.#text.edge(node, 'model', input, isOptional)
    for (const [i, { name: output }] of (config?.output ?? []).entries()) {
      this.#text.node(`output${i}`, [output], 'tensor')
      this.#text.edge('model', `output${i}`, output, false)
    }
  }

  /** @param prefix of the nodes' names, `''` for the outermost ensemble. */
  #drawSteps(config: ModelConfig, prefix: string): void {
    const steps = config.ensembleScheduling?.step ?? []
    const sources = this.#drawInputs(config, prefix)
    for (const [i, step] of steps.entries()) this.#drawStep(step, `${prefix}step${i + 1}`, sources)
    for (const [i, { inputMap, modelName }] of steps.entries()) {
      const inputs = this.#configs.get(modelName)?.input ?? []
      for (const [input, tensor] of Object.entries(inputMap)) {
        const at = inputs.findIndex(({ name }) => name === input)
        const isOptional = inputs[at]?.optional ?? false
        this.#connect(tensor, this.#port(`${prefix}step${i + 1}`, 'input', at), sources, isOptional)
      }
    }
    for (const [i, { name }] of config.output.entries()) {
      this.#text.node(`${prefix}output${i}`, [name], 'tensor')
      this.#connect(name, `${prefix}output${i}`, sources, false)
    }
  }

  #drawInputs(config: ModelConfig | undefined, prefix: string): Map<string, Source> {
    const sources = new Map<string, Source>()
    for (const [i, { name, optional }] of (config?.input ?? []).entries()) {
      const node = `${prefix}input${i}`
      this.#text.node(node, [name], 'tensor', optional ? 'optional' : undefined)
      sources.set(name, { node, isOptional: optional })
    }
    return sources
  }

  #drawStep({ modelName, modelVersion, outputMap }: EnsembleStep, id: string, sources: Map<string, Source>): void {
    const label = `${modelName} (${modelVersion === -1 ? 'latest' : modelVersion})`
    const config = this.#configs.get(modelName)
    const isNested = config?.ensembleScheduling !== undefined && !this.#drawn.has(modelName)
    if (isNested) {
      this.#drawn.add(modelName)
      this.#nested.add(id)
      this.#text.subgraph(id, label, () => this.#drawSteps(config, `${id}_`))
    } else this.#drawModel(id, label, modelName)
    for (const [output, tensor] of Object.entries(outputMap)) {
      const at = config?.output.findIndex(({ name }) => name === output) ?? -1
      sources.set(tensor, { node: this.#port(id, 'output', at), isOptional: false })
    }
  }

  #drawModel(id: string, label: string, name: string): void {
    const config = this.#configs.get(name)
    if (config === undefined) this.#text.node(id, [label, 'not available'], 'model', 'problem')
    else if (config.modelTransactionPolicy?.decoupled) this.#text.node(id, [label, 'decoupled'], 'decoupled')
    else this.#text.node(id, [label], 'model')
  }

  /** Names of the boxes that are sub-graphs, which have nodes for their inputs and outputs. */
  readonly #nested = new Set<string>()

  #port(id: string, kind: 'input' | 'output', at: number): string {
    return at >= 0 && this.#nested.has(id) ? `${id}_${kind}${at}` : id
  }

  #connect(tensor: string, to: string, sources: Map<string, Source>, isOptional: boolean): void {
    let source = sources.get(tensor)
    if (source === undefined) {
      source = { node: `${to}_from${sources.size}`, isOptional: false }
      sources.set(tensor, source)
      this.#text.node(source.node, [tensor, 'comes from nowhere'], 'tensor', 'problem')
    }
    this.#text.edge(source.node, to, tensor, source.isOptional || isOptional)
  }
}
