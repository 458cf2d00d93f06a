import { type DataType, dataTypeSizes, type ParameterValue, type Tensor, TritonError } from '@triton-ts/core'
import { doubleText } from '../json/double-text.ts'
import type { JsonText } from '../json/json-text.ts'

/** A parameter of a response as JSON. */
export const parameterText = (value: ParameterValue): string =>
  typeof value === 'string' ? JSON.stringify(value) : String(value)

/**
 * Adds the elements of an output, with commas between them.
 * @throws TritonError for a type that has no JSON form, and for data that do not fit the shape.
 */
export function addData(json: JsonText, name: string, tensor: Tensor): void {
  const { datatype } = tensor
  if (datatype === 'FP16' || datatype === 'BF16') {
    throw new TritonError(
      'INVALID_ARG',
      `sending ${datatype} data via JSON is not supported. Please use the binary data format for output`,
    )
  }
  if (datatype === 'BYTES') {
    if (json.addByteStrings(tensor.bytes) === tensor.elementCount) return
    throw new TritonError('INTERNAL', `output tensor shape does not match size of output for '${name}'`)
  }
  checkSize(name, tensor, datatype)
  const { data } = tensor
  if (datatype === 'FP32') json.addFloats(data as Float32Array)
  else if (datatype === 'FP64') json.add(doubles(data as Float64Array))
  else if (datatype === 'BOOL') json.add(booleans(data as Uint8Array))
  else json.add(data.join(','))
}

function checkSize(name: string, tensor: Tensor, datatype: DataType): void {
  if (tensor.byteSize === tensor.elementCount * dataTypeSizes[datatype]) return
  throw new TritonError(
    'INTERNAL',
    `Failed to write 'data' field: output tensor shape does not match size of output for '${name}'`,
  )
}

function doubles(values: Float64Array): string {
  let text = ''
  for (const value of values) text += `${text === '' ? '' : ','}${doubleText(value)}`
  return text
}

function booleans(values: Uint8Array): string {
  let text = ''
  for (const value of values) text += `${text === '' ? '' : ','}${value === 0 ? 'false' : 'true'}`
  return text
}
