import { TritonError } from '../errors.ts'
import { checkBytesElements } from './check-bytes.ts'
import { dataTypeSizes } from './data-type.ts'
import type { InferRequest } from './infer-request.ts'
import type { InputSignature, ModelSignature } from './model-signature.ts'
import { rawInputTensor } from './raw-input.ts'
import { reshapeItem } from './reshape.ts'
import { elementCount, shapeText } from './shape.ts'
import type { Tensor } from './tensor.ts'

/** What is left of a request after every check. */
export interface ValidatedRequest {
  /** With the backend's shapes: `reshape` is applied, and all have the same batch dimension. */
  readonly inputs: Map<string, Tensor>
  readonly requestedOutputs: readonly string[]
  /** 0 for a model without batching. */
  readonly batchSize: number
}

const batchNote =
  'NOTE: Setting a non-zero max_batch_size in the model config requires a batch dimension to be prepended to each input shape. ' +
  'If you want to specify the full shape including the batch dim in your input dims config, try setting max_batch_size to zero. ' +
  'See the model configuration docs for more info on max_batch_size.'

/** What Triton's texts call the input of a raw binary request. */
const rawInputName = 'raw_input'

/** `[request id: 7] `, the prefix of Triton's texts about one request. */
export const requestPrefix = (id: string | undefined): string => `[request id: ${id || '<id_unknown>'}] `

/**
 * Checks a request against its model, in Triton's order and words (`InferenceRequest::Normalize`).
 * Inputs are looked at last first, as Triton does, so that the same one of several wrong inputs is named.
 * @throws TritonError INVALID_ARG
 */
export function validateRequest(signature: ModelSignature, request: InferRequest): ValidatedRequest {
  const rid = requestPrefix(request.id)
  const requestedOutputs = checkOutputs(signature, request.outputs, rid)
  const inputs = collectInputs(signature, request, rid)
  if (inputs.size > signature.inputs.size || inputs.size < signature.requiredInputs) {
    throw invalid(inputCountText(signature, inputs, rid))
  }
  const last = [...inputs].reverse()
  const batchSize = checkBatch(signature, last, rid)
  for (const [name, tensor] of last) {
    const input = inputSignature(signature, name)
    checkShape(signature, input, tensor, batchSize, rid)
    const shape = backendShape(signature, input, tensor, batchSize)
    checkData(signature, tensor, request.rawInput === undefined ? name : rawInputName, shape, rid)
    if (shape !== tensor.shape) inputs.set(name, tensor.reshape(shape))
  }
  if (signature.sequence !== undefined) checkCorrelationIdType(signature, request.correlationId, rid)
  if (request.parameters !== undefined) checkParameters(request.parameters, rid)
  return { inputs, requestedOutputs, batchSize }
}

function invalid(message: string): TritonError {
  return new TritonError('INVALID_ARG', message)
}

/** Nothing else can be sent to another thread or process, whatever a caller without types has. */
function checkParameters(parameters: NonNullable<InferRequest['parameters']>, rid: string): void {
  for (const [name, value] of Object.entries(parameters)) {
    if (['string', 'number', 'bigint', 'boolean'].includes(typeof value)) continue
    throw invalid(`${rid}parameter '${name}' must be a string, a number or a boolean, not ${typeof value}`)
  }
}

/** A model that is told the correlation id takes either texts or numbers; no id counts as the number 0. */
function checkCorrelationIdType(
  { modelName, sequence }: ModelSignature,
  id: InferRequest['correlationId'],
  rid: string,
): void {
  const control = sequence?.correlationIdControl
  if (control === undefined || (typeof id === 'string') === (control.datatype === 'BYTES')) return
  const datatype = typeof id === 'string' ? 'BYTES' : 'UINT64'
  throw invalid(
    `${rid}sequence batching control '${control.name}' data-type is '${datatype}', but model '${modelName}' expects '${control.datatype}'`,
  )
}

function inputSignature(signature: ModelSignature, name: string): InputSignature {
  const input = signature.inputs.get(name)
  if (input === undefined) throw invalid(`unexpected inference input '${name}' for model '${signature.modelName}'`)
  return input
}

function checkOutputs(signature: ModelSignature, names: readonly string[] | undefined, rid: string): readonly string[] {
  if (names === undefined || names.length === 0) return signature.outputNames
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    if (names.indexOf(name) < i) throw invalid(`${rid}output '${name}' already exists in request`)
    if (!signature.outputs.has(name)) {
      throw invalid(`unexpected inference output '${name}' for model '${signature.modelName}'`)
    }
  }
  return names
}

function collectInputs(signature: ModelSignature, request: InferRequest, rid: string): Map<string, Tensor> {
  if (request.rawInput !== undefined) return rawInputTensor(signature, request.rawInput, rid)
  const inputs = new Map<string, Tensor>()
  for (const { name, tensor } of request.inputs) {
    if (inputs.has(name)) throw invalid(`${rid}input '${name}' already exists in request`)
    inputs.set(name, tensor)
  }
  return inputs
}

function inputCountText(signature: ModelSignature, inputs: ReadonlyMap<string, Tensor>, rid: string): string {
  const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(',')
  const got = quoted([...inputs.keys()].reverse())
  const missing = quoted(
    [...signature.inputs.values()]
      .filter(({ name, optional }) => !optional && !inputs.has(name))
      .map(({ name }) => name),
  )
  const { size } = signature.inputs
  const expected =
    size === signature.requiredInputs
      ? `expected ${size} inputs`
      : `expected number of inputs between ${signature.requiredInputs} and ${size}`
  // Triton drops the opening bracket of an empty list of missing inputs.
  return (
    `${rid}${expected} but got ${inputs.size} inputs for model '${signature.modelName}'. Got input(s) [${got}], ` +
    `but missing required input(s) ${missing === '' ? '' : '['}${missing}]. Please provide all required input(s).`
  )
}

/** A batch dimension of 0 is that of the other inputs, or 1: the bytes have to be those of as many items. */
function checkBatch(signature: ModelSignature, inputs: readonly [string, Tensor][], rid: string): number {
  const { maxBatchSize, modelName } = signature
  if (maxBatchSize === 0) return 0
  let batchSize = 0
  for (const [name, { shape }] of inputs) {
    inputSignature(signature, name)
    const [batch] = shape
    if (batch === undefined) {
      throw invalid(`${rid}input '${name}' has no shape but model requires batch dimension for '${modelName}'`)
    }
    if (batchSize === 0) batchSize = batch
    else if (batch !== batchSize) {
      throw invalid(`${rid}input '${name}' batch size does not match other inputs for '${modelName}'`)
    }
  }
  if (batchSize > maxBatchSize) {
    throw invalid(`${rid}inference request batch-size must be <= ${maxBatchSize} for '${modelName}'`)
  }
  return batchSize === 0 ? 1 : batchSize
}

function checkShape(
  { modelName, maxBatchSize }: ModelSignature,
  input: InputSignature,
  { datatype, shape }: Tensor,
  batchSize: number,
  rid: string,
): void {
  const { name, dims } = input
  if (datatype !== input.datatype) {
    throw invalid(
      `${rid}inference input '${name}' data-type is '${datatype}', but model '${modelName}' expects '${input.datatype}'`,
    )
  }
  const offset = maxBatchSize > 0 ? 1 : 0
  let matches = shape.length === dims.length + offset
  for (let i = 0; matches && i < dims.length; i++) {
    const size = shape[i + offset] as number
    if (size === -1) {
      throw invalid(
        `${rid}All input dimensions should be specified for input '${name}' for model '${modelName}', got ${shapeText(shape)}`,
      )
    }
    matches = Number.isSafeInteger(size) && size >= 0 && (dims[i] === -1 || dims[i] === size)
  }
  if (!matches || batchSize < 0 || !Number.isSafeInteger(batchSize)) {
    const expected = offset === 1 ? [-1, ...dims] : dims
    throw invalid(
      `${rid}unexpected shape for input '${name}' for model '${modelName}'. Expected ${shapeText(expected)}, got ${shapeText(shape)}. ` +
        (offset === 1 ? batchNote : ''),
    )
  }
}

/** The shape that the backend should see; the tensor's own where nothing changes. */
function backendShape(
  { maxBatchSize }: ModelSignature,
  { dims, reshape }: InputSignature,
  { shape }: Tensor,
  batchSize: number,
): readonly number[] {
  if (reshape === undefined && (maxBatchSize === 0 || shape[0] === batchSize)) return shape
  const item = maxBatchSize === 0 ? shape : shape.slice(1)
  const shaped = reshape === undefined ? item : reshapeItem(item, dims, reshape)
  return maxBatchSize === 0 ? shaped : [batchSize, ...shaped]
}

function checkData(
  signature: ModelSignature,
  tensor: Tensor,
  name: string,
  shape: readonly number[],
  rid: string,
): void {
  const elements = elementCount(shape)
  if (tensor.datatype === 'BYTES') {
    checkBytesElements(tensor, elements, name, signature.modelName, rid)
    return
  }
  const expected = elements * dataTypeSizes[tensor.datatype]
  if (tensor.byteSize === expected) return
  throw invalid(
    `${rid}input byte size mismatch for input '${name}' for model '${signature.modelName}'. Expected ${expected}, got ${tensor.byteSize}`,
  )
}
