import { type ModelConfig, TritonError } from '@triton-ts/core'
import type { ModelInput, ModelOutput } from '@triton-ts/core/backend'
import { checkDataType } from './check-data-type.ts'
import { checkDims, checkScalarDims, shapeText } from './check-dims.ts'
import { checkSequence } from './check-sequence.ts'
import type { ModelSignature, TensorInfo } from './onnx-executor.ts'

/**
 * Compares a final configuration with what the model file says, in the order and with the texts of Triton's backend.
 * @throws TritonError where both do not fit.
 */
export function checkConfig(config: ModelConfig, signature: ModelSignature): void {
  const sequenceInputs = checkSequence(config, signature)
  checkInputs(config, signature, sequenceInputs)
  checkOutputs(config, signature)
}

function checkInputs(config: ModelConfig, signature: ModelSignature, sequenceInputs: number): void {
  const { name: model, maxBatchSize, input, batchInput } = config
  const batchTargets = batchInput.flatMap(({ targetName, dataType }) => targetName.map((name) => ({ name, dataType })))
  const expected = input.filter(({ optional }) => !optional).length + batchTargets.length + sequenceInputs
  if (signature.inputs.length !== expected) {
    throw new TritonError(
      'INVALID_ARG',
      `unable to load model '${model}', configuration expects ${expected} inputs, model provides ${signature.inputs.length}`,
    )
  }
  const infos = byName([...signature.inputs, ...signature.initializers])
  const allowed = [...signature.inputs.map(({ name }) => name), ...signature.initializerNames]
  for (const entry of input) {
    const { name, optional, allowRaggedBatch } = entry
    if (optional && maxBatchSize !== 0) {
      throw new TritonError(
        'INVALID_ARG',
        `unable to load model '${model}', optional input '${name}' is not supported for models that support batching`,
      )
    }
    const info = infos.get(name)
    if (info === undefined) throw unexpected('input', name, allowed)
    checkDataType(model, 'input', entry, info)
    if (allowRaggedBatch) checkRagged(model, entry, info)
    else if (info.shape.length === 0) checkScalarDims(model, name, configDims(entry))
    else checkDims(config, name, info.shape, configDims(entry), false)
  }
  for (const target of batchTargets) {
    const info = infos.get(target.name)
    if (info === undefined) throw unexpected('input', target.name, allowed)
    checkDataType(model, 'batch input', target, info)
  }
}

function checkOutputs(config: ModelConfig, signature: ModelSignature): void {
  const infos = byName(signature.outputs)
  const batchOutputs = new Set(config.batchOutput.flatMap(({ targetName }) => targetName))
  for (const entry of config.output) {
    const info = infos.get(entry.name)
    if (info === undefined) throw unexpected('output', entry.name, [...infos.keys()])
    checkDataType(config.name, 'output', entry, info)
    if (batchOutputs.has(entry.name)) continue
    if (info.shape.length === 0) checkScalarDims(config.name, entry.name, configDims(entry))
    else checkDims(config, entry.name, info.shape, configDims(entry), true)
  }
}

function checkRagged(model: string, { name, optional }: ModelInput, { shape }: TensorInfo): void {
  if (optional) {
    throw new TritonError(
      'INVALID_ARG',
      `unable to load model '${model}', configuration expects model provides input with shape [-1] for ragged input '${name}', which is not supported for optional input`,
    )
  }
  if (shape.length !== 1 || shape[0] !== -1) {
    throw new TritonError(
      'INVALID_ARG',
      `unable to load model '${model}', configuration expects model provides input with shape [-1]  for ragged input '${name}', model provides ${shapeText(shape)}`,
    )
  }
}

/** The dimensions that the model itself sees. */
const configDims = ({ dims, reshape }: ModelInput | ModelOutput): readonly number[] => reshape?.shape ?? dims

const byName = (infos: readonly TensorInfo[]) => new Map(infos.map((info) => [info.name, info]))

function unexpected(direction: 'input' | 'output', name: string, allowed: readonly string[]): TritonError {
  const names = [...new Set(allowed)].sort()
  return new TritonError(
    'INVALID_ARG',
    `unexpected inference ${direction} '${name}', allowed ${direction}s are: ${names.join(', ')}`,
  )
}
