import { type DataType, TritonError } from '@triton-ts/core'
import {
  type AutoCompletedConfig,
  type ConfigDataType,
  type ModelContext,
  type ModelInput,
  type ModelOutput,
  toConfigType,
} from '@triton-ts/core/backend'
import type { ModelSignature, TensorInfo } from './onnx-executor.ts'
import { integerText } from './parameters.ts'

/** Triton's own default for `--backend-config=default-max-batch-size`. */
const defaultMaxBatchSize = 4

/**
 * What the model file adds to a configuration without inputs or without outputs. Nothing when it has both.
 * A model can batch when the first dimension of every input and output is variable. Tensors appear last first, the
 * order in which Triton shows them.
 * @throws TritonError INVALID_ARG when it cannot, but the configuration sets `max_batch_size`.
 */
export function autoComplete(model: ModelContext, signature: ModelSignature): AutoCompletedConfig | undefined {
  const { config, logger } = model
  const hasInputs = config.input.length + config.batchInput.length > 0
  const hasOutputs = config.output.length > 0
  if (hasInputs && hasOutputs) return undefined
  const canBatch = [...signature.inputs, ...signature.outputs].every(({ shape }) => shape[0] === -1)
  let { maxBatchSize } = config
  if (!canBatch && maxBatchSize !== 0) {
    throw new TritonError(
      'INVALID_ARG',
      `autofill failed for model '${model.name}': model does not support batching while non-zero max_batch_size is specified`,
    )
  }
  if (canBatch && maxBatchSize === 0) {
    const setting = model.backendConfig['default-max-batch-size']
    maxBatchSize = setting === undefined ? defaultMaxBatchSize : Math.max(0, integerText(setting))
    logger.warn({ model: model.name, maxBatchSize }, 'max_batch_size is not set, the default is used')
  }
  const schedulerNeeded = !config.sequenceBatching && !config.dynamicBatching && maxBatchSize > 1
  return {
    maxBatchSize,
    ...(!hasInputs && { input: signature.inputs.map((info) => inputConfig(info, maxBatchSize)).reverse() }),
    ...(!hasOutputs && { output: signature.outputs.map((info) => outputConfig(info, maxBatchSize)).reverse() }),
    ...(schedulerNeeded && { dynamicBatching }),
  }
}

const dynamicBatching = {
  preferredBatchSize: [],
  maxQueueDelayMicroseconds: 0,
  preserveOrdering: false,
  priorityLevels: 0,
  defaultPriorityLevel: 0,
  priorityQueuePolicy: {},
} as const

function inputConfig(info: TensorInfo, maxBatchSize: number): ModelInput {
  return {
    ...tensorConfig(info, maxBatchSize),
    format: 'FORMAT_NONE',
    isShapeTensor: false,
    allowRaggedBatch: false,
    optional: false,
    isNonLinearFormatIo: false,
  }
}

function outputConfig(info: TensorInfo, maxBatchSize: number): ModelOutput {
  return { ...tensorConfig(info, maxBatchSize), labelFilename: '', isShapeTensor: false, isNonLinearFormatIo: false }
}

/** A tensor without dimensions besides the batch appears as `[1]`, since `dims` must not be empty. */
function tensorConfig({ name, datatype, shape }: TensorInfo, maxBatchSize: number) {
  const dims = maxBatchSize > 0 ? shape.slice(1) : shape
  const dataType = configType(datatype)
  if (dims.length > 0) return { name, dataType, dims }
  return { name, dataType, dims: [1], ...(maxBatchSize > 0 && { reshape: { shape: [] } }) }
}

function configType(datatype: DataType | undefined): ConfigDataType {
  return datatype === undefined ? 'TYPE_INVALID' : toConfigType(datatype)
}
