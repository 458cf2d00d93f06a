import type { EnsembleStep, ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import { checkStepTensors } from './check-step-tensors.ts'
import { isDecoupledFlow } from './decoupled-flow.ts'

/** An input or output of a step's model, or of the ensemble, and the number of the ensemble tensor that it is. */
export interface TensorPort {
  readonly name: string
  readonly tensor: number
}

export interface PlannedModel {
  readonly name: string
  /** -1: the latest. */
  readonly version: number
}

export interface PlannedStep {
  /** Place among the steps, from 0. */
  readonly index: number
  readonly model: PlannedModel
  /** Place of its model among those of the plan. */
  readonly modelIndex: number
  readonly inputs: readonly TensorPort[]
  readonly outputs: readonly TensorPort[]
  readonly outputNames: readonly string[]
  /** The tensors that the step waits for, each once. */
  readonly needs: readonly number[]
}

export interface PlannedOutput extends TensorPort {
  /** What the ensemble's configuration says, without the batch dimension; -1 is any size. */
  readonly dims: readonly number[]
}

/** The data flow of an ensemble, with a number for each tensor. */
export interface EnsemblePlan {
  /** The configuration, which tells whether the ensemble is decoupled. */
  readonly config: ModelConfig
  readonly steps: readonly PlannedStep[]
  /** What the steps run, each model and version once. */
  readonly models: readonly PlannedModel[]
  readonly tensorCount: number
  readonly inputs: readonly TensorPort[]
  readonly outputs: readonly PlannedOutput[]
  /** How many requests of one step may be in flight, those of all requests together; 0: any number. */
  readonly maxInflightRequests: number
}

/**
 * Checks an ensemble against the models of its steps, as Triton does when it loads one, and numbers its tensors.
 * @param config normalised, and valid by itself.
 * @param models the final configuration of the latest ready version of every step's model, by name.
 * @throws TritonError INVALID_ARG with Triton's texts for what does not fit together.
 */
export function planEnsemble(config: ModelConfig, models: ReadonlyMap<string, ModelConfig>): EnsemblePlan {
  const { step: steps = [], maxInflightRequests = 0 } = config.ensembleScheduling ?? {}
  const missing = [...new Set(steps.map(({ modelName }) => modelName))].filter((name) => !models.has(name))
  if (missing.length > 0) {
    const text = `ensemble ${config.name} contains models that are not available or ambiguous: ${missing.join(', ')}`
    throw new TritonError('INVALID_ARG', text)
  }
  const mentions = checkStepTensors(config, models)
  const decoupled = isDecoupledFlow(config, models, mentions)
  const tensors = new Map<string, number>()
  const tensorOf = (name: string): number => numberOf(tensors, name)
  const inputs = config.input.map(({ name }) => ({ name, tensor: tensorOf(name) }))
  const outputs = config.output.map(({ name, dims, reshape }) => ({
    name,
    tensor: tensorOf(name),
    dims: reshape?.shape ?? dims,
  }))
  const planned: PlannedModel[] = []
  return {
    config: { ...config, modelTransactionPolicy: { decoupled } },
    steps: steps.map((step, index) => planStep(step, index, planned, tensorOf)),
    models: planned,
    tensorCount: tensors.size,
    inputs,
    outputs,
    maxInflightRequests,
  }
}

/** The number of a name, which gets the next one when it is new. */
function numberOf(numbers: Map<string, number>, name: string): number {
  const number = numbers.get(name) ?? numbers.size
  numbers.set(name, number)
  return number
}

function planStep(
  { modelName, modelVersion, inputMap, outputMap }: EnsembleStep,
  index: number,
  models: PlannedModel[],
  tensorOf: (name: string) => number,
): PlannedStep {
  const ports = (map: Readonly<Record<string, string>>): TensorPort[] =>
    Object.entries(map).map(([name, tensor]) => ({ name, tensor: tensorOf(tensor) }))
  let modelIndex = models.findIndex(({ name, version }) => name === modelName && version === modelVersion)
  if (modelIndex === -1) modelIndex = models.push({ name: modelName, version: modelVersion }) - 1
  const inputs = ports(inputMap)
  const outputs = ports(outputMap)
  return {
    index,
    model: models[modelIndex] as PlannedModel,
    modelIndex,
    inputs,
    outputs,
    outputNames: Object.keys(outputMap),
    needs: [...new Set(inputs.map(({ tensor }) => tensor))],
  }
}
