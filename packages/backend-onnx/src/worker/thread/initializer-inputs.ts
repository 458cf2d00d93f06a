import { lengthDelimited, type ProtoField, protoFields } from './proto-reader.ts'
import { readTensorProto, type TensorValue } from './tensor-proto.ts'

/** A model whose optional inputs were made plain inputs. */
export interface OpenedModel {
  readonly model: Uint8Array
  /** Values of the opened inputs for requests that leave them out. */
  readonly defaults: ReadonlyMap<string, TensorValue>
  /** All initializers that are graph inputs. */
  readonly initializerNames: readonly string[]
}

/** Before this version of the format initializers had to be listed as inputs without being any. */
const firstVersionWithOptionalInputs = 4n

/**
 * An ONNX graph input with an initializer is an input with a default. onnxruntime-node neither lists nor takes such
 * inputs, so this takes the initializers of `wanted` inputs out of the model and returns their values.
 */
export function openInitializerInputs(model: Uint8Array, wanted: ReadonlySet<string>): OpenedModel {
  const fields = [...protoFields(model)]
  const graph = fields.find(({ number }) => number === modelProto.graph)
  const version = fields.find(({ number }) => number === modelProto.irVersion)?.integer ?? 0n
  if (graph === undefined || version < firstVersionWithOptionalInputs) {
    return { model, defaults: new Map(), initializerNames: [] }
  }
  const graphFields = [...protoFields(graph.bytes)]
  const inputs = new Set(
    graphFields.filter(({ number }) => number === graphProto.input).map((input) => nameOf(input, 1)),
  )
  const initializerNames: string[] = []
  const defaults = new Map<string, TensorValue>()
  const kept = graphFields.filter((field) => {
    const name = field.number === graphProto.initializer ? nameOf(field, 8) : ''
    if (!inputs.has(name)) return true
    initializerNames.push(name)
    if (!wanted.has(name)) return true
    defaults.set(name, readTensorProto(field.bytes))
    return false
  })
  const newGraph = lengthDelimited(modelProto.graph, Buffer.concat(kept.map(({ raw }) => raw)))
  const parts = fields.map((field) => (field === graph ? newGraph : field.raw))
  return { model: Buffer.concat(parts), defaults, initializerNames }
}

/** Field numbers. Source: onnx.proto. */
const modelProto = { irVersion: 1, graph: 7 } as const
const graphProto = { initializer: 5, input: 11 } as const

function nameOf(field: ProtoField, number: number): string {
  for (const part of protoFields(field.bytes)) if (part.number === number) return Buffer.from(part.bytes).toString()
  return ''
}
