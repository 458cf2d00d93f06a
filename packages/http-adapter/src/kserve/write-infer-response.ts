import type { InferenceResponse, ParameterValue, Tensor } from '@triton-ts/core'
import { type ClassSource, classify } from '@triton-ts/protocol'
import { JsonText } from '../json/json-text.ts'
import type { Body, WholeResponse } from '../universal.ts'
import { headerLengthName } from './header-length.ts'
import type { InferMessage } from './infer-message.ts'
import { addData, parameterText } from './write-tensor-data.ts'

/** Binary parts up to this size are sent in one string with the JSON. */
const smallBinary = 4096

/** Writes responses; it keeps the memory for small ones. */
export class InferResponseWriter {
  readonly #scratch = JsonText.scratch()

  /**
   * The response as Triton writes it: outputs in JSON or, behind the JSON, as binary parts in the order of the outputs.
   * @throws TritonError for an output that cannot be sent in the form that was asked for.
   */
  write(response: InferenceResponse, message: InferMessage, classSource: ClassSource | undefined): WholeResponse {
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
      json.add(`${separator}{"name":${JSON.stringify(name)},"datatype":"${tensor.datatype}","shape":[${tensor.shape}]`)
      separator = ','
      if (message.regions?.hasOutput(name)) json.add('}')
      else if (form.binary) {
        const { bytes } = tensor
        json.add(`,"parameters":{"binary_data_size":${bytes.byteLength}}}`)
        if (bytes.byteLength > 0) binary.push(bytes)
      } else {
        json.add(',"data":[')
        addData(json, name, tensor)
        json.add(']}')
      }
    }
    json.add(separator === ',' ? ']}' : ',"outputs":[]}')
    return binary.length === 0 ? jsonResponse(json.finish()) : binaryResponse(json.finish(), binary)
  }
}

function jsonResponse(body: Body): WholeResponse {
  return { status: 200, headers: ['Content-Type', 'application/json'], body }
}

function binaryResponse(json: Body, binary: readonly Uint8Array[]): WholeResponse {
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
    json.add(`${separator}${JSON.stringify(name)}:${parameterText(value)}`)
    separator = ','
  }
  if (separator === ',') json.add('}')
}
