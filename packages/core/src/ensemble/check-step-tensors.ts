import type { EnsembleStep, ModelConfig, ModelInput, ModelOutput } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import { shapeText } from '../request/shape.ts'
import { dimsMatch } from './batch-adaptation.ts'

/** What is known of an ensemble tensor from where it is mentioned first: by the ensemble itself, or by a step. */
export interface TensorMention {
  /** The ensemble or the step's model. */
  readonly model: string
  readonly dataType: string
  readonly dims: readonly number[]
  /** With the batch dimension, where the model has one. */
  readonly fullDims: readonly number[]
}

/**
 * Checks that the steps of an ensemble fit their models and that every tensor is the same to all that touch it. The
 * order of the checks is Triton's.
 * @returns every ensemble tensor as its first mention has it.
 * @throws TritonError INVALID_ARG
 */
export function checkStepTensors(
  ensemble: ModelConfig,
  models: ReadonlyMap<string, ModelConfig>,
): ReadonlyMap<string, TensorMention> {
  const mentions = new Map<string, TensorMention>()
  for (const tensor of [...ensemble.input, ...ensemble.output]) {
    if (mentions.has(tensor.name)) continue
    mentions.set(tensor.name, mentionOf(ensemble, tensor, tensor.reshape?.shape ?? tensor.dims))
  }
  for (const step of ensemble.ensembleScheduling?.step ?? []) {
    const model = models.get(step.modelName) as ModelConfig
    checkBatchSize(ensemble, model)
    checkInputs(ensemble.name, step, model, mentions)
    checkOutputs(ensemble.name, step, model, mentions)
  }
  return mentions
}

function checkBatchSize({ name, maxBatchSize }: ModelConfig, model: ModelConfig): void {
  if (model.maxBatchSize === 0 || model.maxBatchSize >= maxBatchSize) return
  throw invalid(
    `ensemble ${name} allows maximum batch size ${maxBatchSize}, but it contains model ${model.name} which only allows ` +
      `maximum batch size to be ${model.maxBatchSize}`,
  )
}

function checkInputs(ensemble: string, step: EnsembleStep, model: ModelConfig, mentions: Mentions): void {
  for (const [input, tensor] of Object.entries(step.inputMap)) {
    if (model.input.some(({ name }) => name === input)) continue
    throw invalid(
      `in ensemble ${ensemble}, ensemble tensor ${tensor} is mapping to non-existing input ${input} in model ${model.name}`,
    )
  }
  for (const input of model.input) {
    const tensor = step.inputMap[input.name]
    if (tensor !== undefined) mention(ensemble, tensor, mentionOf(model, input, input.dims), mentions)
    else if (!input.optional) {
      throw invalid(
        `in ensemble ${ensemble}, input ${input.name} in model ${model.name} is not mapped to any ensemble tensors`,
      )
    }
  }
}

function checkOutputs(ensemble: string, step: EnsembleStep, model: ModelConfig, mentions: Mentions): void {
  for (const [output, tensor] of Object.entries(step.outputMap)) {
    if (model.output.some(({ name }) => name === output)) continue
    throw invalid(
      `in ensemble ${ensemble}, ensemble tensor ${tensor} is mapped from non-existing output ${output} in model ${model.name}`,
    )
  }
  for (const output of model.output) {
    const tensor = step.outputMap[output.name]
    if (tensor !== undefined) mention(ensemble, tensor, mentionOf(model, output, output.dims), mentions)
  }
}

type Mentions = Map<string, TensorMention>

function mentionOf(
  { name, maxBatchSize }: ModelConfig,
  { dataType }: ModelInput | ModelOutput,
  dims: readonly number[],
): TensorMention {
  return { model: name, dataType, dims, fullDims: maxBatchSize > 0 ? [-1, ...dims] : dims }
}

/** Compares a mention with the first one, with the batch dimension or without. */
function mention(ensemble: string, tensor: string, given: TensorMention, mentions: Mentions): void {
  const first = mentions.get(tensor)
  if (first === undefined) {
    mentions.set(tensor, given)
    return
  }
  const where = `in ensemble ${ensemble}, ensemble tensor ${tensor}: inconsistent`
  if (first.dataType !== given.dataType) {
    throw invalid(
      `${where} data type: ${first.dataType} is inferred from model ${first.model} while ${given.dataType} is inferred ` +
        `from model ${given.model}`,
    )
  }
  if (dimsMatch(first.dims, given.dims) || dimsMatch(first.fullDims, given.fullDims)) return
  throw invalid(
    `${where} shape: ${shapeText(first.fullDims)} is inferred from model ${first.model} while ` +
      `${shapeText(given.fullDims)} is inferred from model ${given.model}`,
  )
}

const invalid = (message: string): TritonError => new TritonError('INVALID_ARG', message)
