import {
  type DataType,
  dataTypeSizes,
  type InferenceResponse,
  type ParameterValue,
  type Tensor,
  TritonError,
} from '@triton-ts/core'
import { doubleText } from '../json/double-text.ts'
import { JsonText } from '../json/json-text.ts'
import type { UniversalResponse } from '../universal.ts'
import { classify } from './classification.ts'
import { headerLengthName } from './header-length.ts'
import type { InferMessage } from './infer-message.ts'

/** What the writer has to know of a model whose outputs are replaced by classes. */
export interface ClassSource {
  readonly hasBatch: boolean
  label(output: string, index: number): string
}

/** Binary parts up to this size are sent in one string with the JSON. */
const smallBinary = 4096

/** Writes responses; it keeps the memory for small ones. */
export class InferResponseWriter {
  readonly #scratch = JsonText.scratch()

  /**
   * The response as Triton writes it: outputs in JSON or, behind the JSON, as binary parts in the order of the outputs.
   * @throws TritonError for an output that cannot be sent in the form that was asked for.
   */
  write(response: InferenceResponse, message: InferMessage, classSource: ClassSource | undefined): UniversalResponse {
    const json = new JsonText(this.#scratch)
    const binary: Uint8Array[] = []
    const id = response.id === '' ? '' : `"id":${JSON.stringify(response.id)},`
    json.add(`{${id}"model_name":${JSON.stringify(response.modelName)},"model_version":"${response.modelVersion}"`)
    addParameters(json, response.parameters)
    let separator = ',"outputs":['
    for (const name in response.outputs) {
      const form = message.outputForm(name)
      let tensor = response.outputs[name] as Tensor
      if (form.classes > 0 && classSource !== undefined) {
        const { hasBatch, label } = classSource
        tensor = classify(name, tensor, form.classes, hasBatch, (index) => label(name, index))
      }
      json.add(`${separator}{"name":${JSON.stringify(name)},"datatype":"${tensor.datatype}","shape":[${tensor.shape}],`)
      separator = ','
      if (form.binary) {
        const { bytes } = tensor
        json.add(`"parameters":{"binary_data_size":${bytes.byteLength}}}`)
        if (bytes.byteLength > 0) binary.push(bytes)
      } else {
        json.add('"data":[')
        addData(json, name, tensor)
        json.add(']}')
      }
    }
    json.add(separator === ',' ? ']}' : ',"outputs":[]}')
    return binary.length === 0 ? jsonResponse(json.finish()) : binaryResponse(json.finish(), binary)
  }
}

function jsonResponse(body: UniversalResponse['body']): UniversalResponse {
  return { status: 200, headers: ['Content-Type', 'application/json'], body }
}

function binaryResponse(json: string | readonly Uint8Array[], binary: readonly Uint8Array[]): UniversalResponse {
  let binarySize = 0
  for (const part of binary) binarySize += part.byteLength
  const isText = typeof json === 'string'
  const headerLength = isText ? json.length : json.reduce((size, part) => size + part.byteLength, 0)
  const headers = ['Content-Type', 'application/octet-stream', headerLengthName, String(headerLength)]
  if (!isText) return { status: 200, headers, body: [...json, ...binary] }
  if (binarySize > smallBinary) return { status: 200, headers, body: [Buffer.from(json, 'latin1'), ...binary] }
  let body = json
  for (const { buffer, byteOffset, byteLength } of binary)
    body += Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
  return { status: 200, headers, body }
}

function addParameters(json: JsonText, parameters: Readonly<Record<string, ParameterValue>>): void {
  let separator = ',"parameters":{'
  for (const name in parameters) {
    const value = parameters[name] as ParameterValue
    json.add(`${separator}${JSON.stringify(name)}:${typeof value === 'string' ? JSON.stringify(value) : value}`)
    separator = ','
  }
  if (separator === ',') json.add('}')
}

function addData(json: JsonText, name: string, tensor: Tensor): void {
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
