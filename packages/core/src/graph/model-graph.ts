import type { ModelConfig } from '../config/model-config.ts'
import { LocalSource } from '../repository/local-source.ts'
import { ModelRepository } from '../repository/model-repository.ts'
import { findModels } from './found-model.ts'
import { graphProblems } from './graph-problems.ts'
import { MermaidText } from './mermaid-text.ts'
import { ModelDrawing } from './model-drawing.ts'

export interface ModelGraphOptions {
  /** Directories of models. */
  readonly modelRepository: string | readonly string[]
  /** Use `configs/<name>.pbtxt` of a model where it exists. */
  readonly modelConfigName?: string | undefined
}

/** What the files of a repository tell of a model and of all that it needs. */
export interface ModelGraph {
  /** A Mermaid flow chart of what could be read: inputs, steps, the tensors between them, outputs. */
  readonly mermaid: string
  /** One sentence for each model that could not be loaded, as far as files tell; none for a sound one. */
  readonly problems: readonly string[]
}

/**
 * Reads the configurations of a model and of the steps of ensembles, and draws how data flow. Nothing is loaded, so what
 * a backend would complete is not known.
 * @throws TritonError INTERNAL for a repository that cannot be read.
 */
export async function modelGraph(name: string, options: ModelGraphOptions): Promise<ModelGraph> {
  const { modelRepository: paths, modelConfigName } = options
  const sources = (typeof paths === 'string' ? [paths] : paths).map((path) => new LocalSource(path))
  const repository = new ModelRepository(sources)
  await repository.list()
  const found = await findModels(name, repository, modelConfigName)
  const configs = new Map<string, ModelConfig>()
  for (const [model, { config }] of found) if (config !== undefined) configs.set(model, config)
  return { mermaid: modelToMermaid(name, configs), problems: graphProblems(name, found) }
}

/**
 * Draws a model as a Mermaid flow chart, an ensemble with its steps.
 * @param configs of the model and of all that it needs, by name; what is missing is marked.
 */
export function modelToMermaid(name: string, configs: ReadonlyMap<string, ModelConfig>): string {
  const text = new MermaidText()
  new ModelDrawing(text, configs).draw(name)
  return text.toString()
}
