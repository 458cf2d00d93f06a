import { type ModelConfig, TritonError } from '@triton-ts/core'
import { type ConfigDataType, fromConfigType, type SequenceControl } from '@triton-ts/core/backend'
import { checkDataType } from './check-data-type.ts'
import { shapeText } from './check-dims.ts'
import type { ModelSignature } from './onnx-executor.ts'

/** How ONNX Runtime names the element types that a sequence control can have. */
const onnxNames: Readonly<Record<string, string>> = { FP32: 'FLOAT', FP64: 'DOUBLE', FP16: 'FLOAT16', BYTES: 'STRING' }

/**
 * Checks the tensors that sequence batching adds to a model: control inputs and states.
 * @returns how many inputs they are.
 * @throws TritonError with Triton's text where the model does not fit.
 */
export function checkSequence(config: ModelConfig, signature: ModelSignature): number {
  const sequence = config.sequenceBatching
  if (sequence === undefined) return 0
  let inputs = sequence.state.length
  for (const { name, control } of sequence.controlInput) {
    for (const entry of control) checkControl(config, signature, name, controlType(entry))
    inputs += control.length
  }
  for (const { outputName, dataType } of sequence.state) {
    const info = signature.outputs.find(({ name }) => name === outputName)
    if (info === undefined) {
      const allowed = signature.outputs.map(({ name }) => name).sort()
      throw new TritonError(
        'INVALID_ARG',
        `unexpected inference output '${outputName}', allowed outputs are: ${allowed.join(', ')}`,
      )
    }
    checkDataType(config.name, 'output state', { name: outputName, dataType }, info)
  }
  return inputs
}

function controlType({ kind, dataType, int32FalseTrue, fp32FalseTrue }: SequenceControl): ConfigDataType {
  if (kind === 'CONTROL_SEQUENCE_CORRID') return dataType
  if (int32FalseTrue.length > 0) return 'TYPE_INT32'
  return fp32FalseTrue.length > 0 ? 'TYPE_FP32' : 'TYPE_BOOL'
}

function checkControl(config: ModelConfig, signature: ModelSignature, control: string, type: ConfigDataType): void {
  const info = signature.inputs.find(({ name }) => name === control)
  if (info === undefined) {
    throw new TritonError(
      'INTERNAL',
      `configuration specified sequence control '${control}', but model does not provide that input`,
    )
  }
  const dims = config.maxBatchSize > 0 ? info.shape.slice(1) : info.shape
  if (dims.length !== 1 || dims[0] !== 1) {
    throw new TritonError(
      'INVALID_ARG',
      `unable to load model '${config.name}', sequence control '${control}' in model has dims ${shapeText(dims)} but dims [1] is expected`,
    )
  }
  if (fromConfigType(type) !== info.datatype) {
    const provided = info.datatype === undefined ? 'UNDEFINED' : (onnxNames[info.datatype] ?? info.datatype)
    throw new TritonError(
      'INVALID_ARG',
      `unable to load model '${config.name}', sequence control '${control}', the model expects data-type ${provided} but the model configuration specifies data-type ${type}`,
    )
  }
}
