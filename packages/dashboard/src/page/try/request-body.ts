import { writeExact } from './exact-json.ts'
import type { Element } from './read-elements.ts'
import type { TensorSignature } from './signature.ts'

/** An input with what was entered for it: values, or bytes as the protocol has them. */
export interface EnteredInput extends TensorSignature {
  readonly data: readonly Element[] | Uint8Array
}

export interface RequestBody {
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

/** A request of the inference protocol: JSON, with bytes behind it where there are some. */
export function inferBody(inputs: readonly EnteredInput[], parameters: Readonly<Record<string, unknown>>): RequestBody {
  const binary = inputs.flatMap(({ data }) => (data instanceof Uint8Array ? [data] : []))
  const tensors = inputs.map(({ name, datatype, shape, data }) => ({
    ...{ name, datatype, shape },
    ...(data instanceof Uint8Array ? { parameters: { binary_data_size: data.byteLength } } : { data }),
  }))
  const json = writeExact({ inputs: tensors, ...(Object.keys(parameters).length > 0 && { parameters }) })
  if (binary.length === 0) return { body: json, headers: {} }
  const header = new TextEncoder().encode(json)
  const body = joined([header, ...binary])
  return { body, headers: { 'Inference-Header-Content-Length': String(header.byteLength) } }
}

/**
 * A request of the generate extension: a flat object.
 * @throws Error for bytes, which it has no place for.
 */
export function generateBody(
  inputs: readonly EnteredInput[],
  parameters: Readonly<Record<string, unknown>>,
): RequestBody {
  const members: Record<string, unknown> = { ...parameters }
  for (const { name, data } of inputs) {
    if (data instanceof Uint8Array) throw new Error(`${name}: a model that streams takes no files here`)
    members[name] = data.length === 1 ? data[0] : data
  }
  return { body: writeExact(members), headers: {} }
}

/** One element of a BYTES tensor: its length in four bytes, and itself. */
export function bytesElement(content: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, content.byteLength, true)
  return joined([length, content])
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((size, { byteLength }) => size + byteLength, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.byteLength
  }
  return all
}
