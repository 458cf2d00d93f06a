import { TritonError } from '../errors.ts'
import type { BytesElement } from './bytes.ts'
import { createArray, type DataType, type NumericArray, type NumericDataType } from './data-type.ts'
import type { ModelSignature, OutputSignature } from './model-signature.ts'
import { elementCount, shapeText } from './shape.ts'
import { Tensor, type TensorData } from './tensor.ts'

type Scalar = number | bigint | boolean | BytesElement

/** Values in nested lists, outermost dimension first. */
export type NestedValues = readonly (Scalar | NestedValues)[]

/**
 * What `infer` takes for an input: a tensor; or a typed array or (nested) list of values, whose type is the model's and
 * whose shape is its nesting, or for flat values the model's shape with a batch of 1 and at most one size deduced.
 */
export type InputValue = Tensor | NumericArray | NestedValues

/** @throws TritonError INVALID_ARG when the value does not fit the input. */
export function toTensor(signature: ModelSignature, name: string, value: InputValue): Tensor {
  if (value instanceof Tensor) return value
  const input = signature.inputs.get(name)
  if (input === undefined) {
    throw new TritonError('INVALID_ARG', `unexpected inference input '${name}' for model '${signature.modelName}'`)
  }
  return toTensorOf(input, signature.maxBatchSize > 0 ? 1 : undefined, value, 'input')
}

/** Whose values are made a tensor, for the texts of errors. */
export type TensorRole = 'input' | 'output' | 'state'

/** A tensor as it should become, for errors with its role: `input 'IN'`. */
interface Target extends Pick<OutputSignature, 'datatype' | 'dims'> {
  readonly label: string
  /** Of flat values; undefined without batching. */
  readonly batch: number | undefined
}

/**
 * The same for any tensor of a model.
 * @param batch the batch dimension of flat values; undefined without batching.
 */
export function toTensorOf(
  { name, datatype, dims }: OutputSignature,
  batch: number | undefined,
  value: InputValue,
  role: TensorRole,
): Tensor {
  if (value instanceof Tensor) return value
  const target = { label: `${role} '${name}'`, datatype, dims, batch }
  if (ArrayBuffer.isView(value)) {
    const shape = flatShape(target, value.length)
    return Tensor.of(datatype, shape, typedData(target, value))
  }
  const shape = nestedShape(target, value)
  const values: Scalar[] = []
  flatten(value, shape, 0, values, target.label)
  const data = fill(target, values)
  return Tensor.of(datatype, shape.length > 1 ? shape : flatShape(target, values.length), data)
}

function flatShape({ dims, label, batch }: Target, length: number): number[] {
  if (batch === undefined && dims.length === 1) return [length]
  const shape = batch === undefined ? [...dims] : [batch, ...dims]
  const variable = shape.indexOf(-1)
  if (variable >= 0 && shape.indexOf(-1, variable + 1) < 0) shape[variable] = length / -elementCount(shape)
  if (shape.every(Number.isInteger) && elementCount(shape) === length) return shape
  throw new TritonError(
    'INVALID_ARG',
    `${length} flat values do not fit ${label} of dims ${shapeText(dims)}; pass nested lists or tensor(datatype, shape, data)`,
  )
}

function typedData({ datatype, label }: Target, value: NumericArray): TensorData {
  if (datatype === 'BYTES')
    throw new TritonError('INVALID_ARG', `${label} needs strings, not a ${value.constructor.name}`)
  const expected = createArray(datatype, 0).constructor
  if (value instanceof expected) return value
  throw new TritonError(
    'INVALID_ARG',
    `${label} of type ${datatype} needs a ${expected.name}, not a ${value.constructor.name}`,
  )
}

function nestedShape({ label, dims }: Target, value: NestedValues): number[] {
  if (!Array.isArray(value)) {
    throw new TritonError('INVALID_ARG', `${label} needs a Tensor, a typed array or a list, not ${typeof value}`)
  }
  const shape: number[] = []
  for (let level: unknown = value; Array.isArray(level); level = level[0]) {
    if (shape.length > dims.length) {
      throw new TritonError('INVALID_ARG', `the lists for ${label} are nested deeper than its dims ${shapeText(dims)}`)
    }
    shape.push(level.length)
  }
  return shape
}

function flatten(level: NestedValues, shape: readonly number[], depth: number, into: Scalar[], label: string): void {
  const leaf = depth === shape.length - 1
  if (level.length !== shape[depth]) throw ragged(label)
  for (const item of level) {
    if (Array.isArray(item) === leaf) throw ragged(label)
    if (leaf) into.push(item as Scalar)
    else flatten(item as NestedValues, shape, depth + 1, into, label)
  }
}

const ragged = (label: string): TritonError =>
  new TritonError('INVALID_ARG', `the nested lists for ${label} do not all have the same length`)

function fill({ datatype, label }: Target, values: readonly Scalar[]): TensorData {
  if (datatype === 'BYTES') {
    for (const value of values)
      if (typeof value !== 'string' && !(value instanceof Uint8Array)) throw wrongValue(label, datatype, value)
    return values as readonly BytesElement[]
  }
  if (datatype === 'FP16' || datatype === 'BF16') {
    throw new TritonError(
      'INVALID_ARG',
      `${label} of type ${datatype} needs a tensor over a Uint16Array of raw 16-bit values`,
    )
  }
  const data = createArray(datatype as NumericDataType, values.length)
  for (let i = 0; i < values.length; i++) {
    const value = convert(datatype, label, values[i] as Scalar)
    data[i] = value
    // An integer that the type cannot hold was stored as another one.
    if (data[i] !== value && !datatype.startsWith('FP')) throw wrongValue(label, datatype, values[i] as Scalar)
  }
  return data
}

function convert(datatype: DataType, label: string, value: Scalar): number & bigint {
  let converted: number | bigint | undefined
  if (datatype === 'BOOL') converted = typeof value === 'boolean' ? Number(value) : undefined
  else if (datatype === 'INT64' || datatype === 'UINT64') {
    if (typeof value === 'bigint' || Number.isSafeInteger(value)) converted = BigInt(value as number | bigint)
  } else if (typeof value === 'number' && (datatype.startsWith('FP') || Number.isInteger(value))) converted = value
  if (converted === undefined) throw wrongValue(label, datatype, value)
  return converted as number & bigint
}

const wrongValue = (label: string, datatype: DataType, value: Scalar): TritonError =>
  new TritonError(
    'INVALID_ARG',
    `${label} of type ${datatype} cannot hold ${typeof value} ${String(value).slice(0, 40)}`,
  )
