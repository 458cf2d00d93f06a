import type { ModelConfig, ModelInput, ModelOutput, SequenceBatching } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import { type DataType, fromConfigType } from './data-type.ts'

/** One input as requests are checked against it. */
export interface InputSignature {
  readonly name: string
  readonly datatype: DataType
  /** Without the batch dimension; -1 is any size. */
  readonly dims: readonly number[]
  /** The shape that the backend sees, when it differs. */
  readonly reshape: readonly number[] | undefined
  readonly optional: boolean
}

export interface OutputSignature {
  readonly name: string
  readonly datatype: DataType
  readonly dims: readonly number[]
  readonly reshape: readonly number[] | undefined
}

/** The part of a configuration that every request is checked against, prepared once for each loaded model version. */
export interface ModelSignature {
  readonly modelName: string
  readonly maxBatchSize: number
  readonly inputs: ReadonlyMap<string, InputSignature>
  readonly outputs: ReadonlyMap<string, OutputSignature>
  readonly outputNames: readonly string[]
  readonly requiredInputs: number
  readonly decoupled: boolean
  /** Whether requests are answered in the order in which they came, `preserve_ordering`. */
  readonly answersInOrder: boolean
  /** Requests have a priority from 1 to this; 0 where the model has no priorities, and no limit for an ensemble. */
  readonly priorityLevels: number
  readonly defaultPriority: number
  /** Where the model's requests belong to sequences. */
  readonly sequence: SequenceSignature | undefined
}

/** What `sequence_batching` asks of requests. */
export interface SequenceSignature {
  /** Whether a backend may run a request again as the next of its sequence. */
  readonly isIterative: boolean
  /** The input that gets the correlation id, where the model has one. */
  readonly correlationIdControl: { readonly name: string; readonly datatype: DataType } | undefined
}

export function modelSignature(config: ModelConfig): ModelSignature {
  const inputs = new Map(config.input.map((input) => [input.name, { ...common(input), optional: input.optional }]))
  const outputs = new Map(config.output.map((output) => [output.name, common(output)]))
  return {
    modelName: config.name,
    maxBatchSize: config.maxBatchSize,
    inputs,
    outputs,
    outputNames: [...outputs.keys()],
    requiredInputs: config.input.filter(({ optional }) => !optional).length,
    decoupled: config.modelTransactionPolicy?.decoupled ?? false,
    answersInOrder: config.dynamicBatching?.preserveOrdering ?? false,
    priorityLevels: config.ensembleScheduling
      ? Number.POSITIVE_INFINITY
      : (config.dynamicBatching?.priorityLevels ?? 0),
    defaultPriority: config.dynamicBatching?.defaultPriorityLevel ?? 0,
    sequence: config.sequenceBatching && sequenceSignature(config.sequenceBatching),
  }
}

/** @throws TritonError INVALID_ARG where each request has exactly one response. */
export function expectDecoupled({ decoupled, modelName }: ModelSignature): void {
  if (decoupled) return
  throw new TritonError('INVALID_ARG', `model '${modelName}' is not decoupled and must send one final response`)
}

/** @throws TritonError UNSUPPORTED where a request may have any number of responses. */
export function expectOneResponse({ decoupled, modelName }: ModelSignature): void {
  if (!decoupled) return
  throw new TritonError('UNSUPPORTED', `model '${modelName}' is decoupled; use inferStream or requestStream`)
}

function sequenceSignature({ iterativeSequence, controlInput }: SequenceBatching): SequenceSignature {
  const input = controlInput.find(({ control }) => control.some(({ kind }) => kind === 'CONTROL_SEQUENCE_CORRID'))
  const control = input?.control.find(({ kind }) => kind === 'CONTROL_SEQUENCE_CORRID')
  const datatype = control && fromConfigType(control.dataType)
  return {
    isIterative: iterativeSequence,
    correlationIdControl: input && datatype && { name: input.name, datatype },
  }
}

function common({ name, dataType, dims, reshape }: ModelInput | ModelOutput): OutputSignature {
  const datatype = fromConfigType(dataType)
  if (datatype === undefined) throw new TritonError('INVALID_ARG', `tensor '${name}' has data type ${dataType}`)
  return { name, datatype, dims, reshape: reshape?.shape }
}
