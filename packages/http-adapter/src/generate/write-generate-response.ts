import type { InferenceResponse, Tensor } from '@triton-ts/core'
import { JsonText } from '../json/json-text.ts'
import { addData, parameterText } from '../kserve/write-tensor-data.ts'
import type { Body } from '../universal.ts'

/** Text around each JSON object. */
export interface Frame {
  readonly before: string
  readonly after: string
}

/** Writes responses of the generate extension; it keeps the memory for small ones. */
export class GenerateResponseWriter {
  readonly #scratch = JsonText.scratch()
  readonly #frame: Frame

  constructor(frame: Frame) {
    this.#frame = frame
  }

  /**
   * A flat JSON object, its members in order of their names: what the response tells of itself, its parameters and its
   * outputs, where the first of one name counts. An output of one element is that element, any other one a flat array.
   * Source: Triton, server/src/http_server.cc, FinalizeResponse and ExactMappingOutput.
   * @throws TritonError for an output that has no JSON form.
   */
  write(response: InferenceResponse): Body {
    const members = membersOf(response)
    const json = new JsonText(this.#scratch)
    json.add(this.#frame.before)
    let separator = '{'
    for (const name of [...members.keys()].sort()) {
      const value = members.get(name) as string | Tensor
      json.add(`${separator}${JSON.stringify(name)}:`)
      separator = ','
      if (typeof value === 'string') json.add(value)
      else addOutput(json, name, value)
    }
    json.add(`}${this.#frame.after}`)
    return json.finish()
  }

  /** `{"error": ...}`, as the same kind of piece. */
  writeError(message: string): Body {
    const json = new JsonText(this.#scratch)
    json.add(`${this.#frame.before}{"error":${JSON.stringify(message)}}${this.#frame.after}`)
    return json.finish()
  }
}

/** By name: JSON that is written already, or an output. */
function membersOf(response: InferenceResponse): Map<string, string | Tensor> {
  const { id, modelName, modelVersion, parameters, outputs } = response
  const members = new Map<string, string | Tensor>([
    ['model_name', JSON.stringify(modelName)],
    ['model_version', `"${modelVersion}"`],
  ])
  if (id !== '') members.set('id', JSON.stringify(id))
  for (const name in parameters) {
    const value = parameters[name]
    if (value !== undefined && !members.has(name)) members.set(name, parameterText(value))
  }
  for (const name in outputs) {
    const output = outputs[name]
    if (output !== undefined && !members.has(name)) members.set(name, output)
  }
  return members
}

function addOutput(json: JsonText, name: string, output: Tensor): void {
  const isScalar = output.elementCount === 1
  if (!isScalar) json.add('[')
  addData(json, name, output)
  if (!isScalar) json.add(']')
}
