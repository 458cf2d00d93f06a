import type { ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import type { DataType } from '../request/data-type.ts'
import { shapeText } from '../request/shape.ts'
import { Tensor } from '../request/tensor.ts'
import type { ExecutionRequest } from './backend.ts'
import { batchInputs } from './batch-inputs.ts'

/** An input of a whole batch that nobody has copied yet: each part is a request's own tensor, in their order. */
export interface CollectedInput {
  readonly name: string
  readonly datatype: DataType
  /** Of all parts together. */
  readonly shape: readonly number[]
  readonly parts: readonly Tensor[]
}

/** How an input of several requests becomes one. */
export interface GatherOptions {
  /**
   * `allow_ragged_batch`: the elements of all requests stand in a row and the tensor has one dimension, also when there
   * is only one request. Default false: the requests are joined along the batch dimension.
   */
  readonly ragged?: boolean | undefined
}

/**
 * Everything that the model gets for a batch, by name: the inputs of the requests, ragged ones flat, and the tensors of
 * `batch_input`. A tensor is copied only where several requests have to be joined. Inputs that the engine adds,
 * sequence controls and states, are there as well; optional ones that the requests leave out are not.
 */
export function gatherInputs(config: ModelConfig, requests: readonly ExecutionRequest[]): Map<string, Tensor> {
  return new Map(collectInputs(config, requests).map((input) => [input.name, joinParts(input)]))
}

/**
 * The input `name` of all requests as one tensor. One request that is not ragged: its very tensor, not copied.
 * @returns undefined when the requests leave this optional input out.
 */
export function gatherInput(
  requests: readonly ExecutionRequest[],
  name: string,
  options: GatherOptions = {},
): Tensor | undefined {
  if (requests[0]?.inputs.has(name) !== true) return undefined
  return joinParts(collectInput(requests, name, options.ragged ?? false))
}

/** Like `gatherInputs`, for backends that copy the parts to a place of their own. */
export function collectInputs(config: ModelConfig, requests: readonly ExecutionRequest[]): CollectedInput[] {
  const [first] = requests
  if (first === undefined) return []
  const collected: CollectedInput[] = []
  for (const name of first.inputs.keys()) {
    const ragged = config.input.some((input) => input.allowRaggedBatch && input.name === name)
    collected.push(collectInput(requests, name, ragged))
  }
  for (const [name, tensor] of batchInputs(config, requests)) {
    collected.push({ name, datatype: tensor.datatype, shape: tensor.shape, parts: [tensor] })
  }
  return collected
}

/** All requests of a batch have the same inputs. */
function collectInput(requests: readonly ExecutionRequest[], name: string, ragged: boolean): CollectedInput {
  const parts = requests.map(({ inputs }) => {
    const part = inputs.get(name)
    if (part === undefined) throw new TritonError('INTERNAL', `input '${name}' is missing in a request of the batch`)
    return part
  })
  const { datatype, shape } = parts[0] as Tensor
  const other = parts.find((part) => part.datatype !== datatype)
  if (other !== undefined) throw cannotJoin(name, 'types', datatype, other.datatype)
  if (ragged) return { name, datatype, shape: [parts.reduce((sum, part) => sum + part.elementCount, 0)], parts }
  if (parts.length === 1) return { name, datatype, shape, parts }
  let batch = 0
  for (const part of parts) {
    if (!isSameItem(part.shape, shape)) throw cannotJoin(name, 'shapes', shapeText(shape), shapeText(part.shape))
    batch += part.shape[0] ?? 0
  }
  return { name, datatype, shape: [batch, ...shape.slice(1)], parts }
}

/** Whether two shapes are the same beside their batch. */
function isSameItem(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 1; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

const cannotJoin = (name: string, what: 'types' | 'shapes', a: string, b: string): TritonError =>
  new TritonError('INTERNAL', `input '${name}' has the ${what} ${a} and ${b} in one batch and cannot be joined`)

function joinParts({ datatype, shape, parts }: CollectedInput): Tensor {
  const [only] = parts as readonly [Tensor]
  if (parts.length === 1) return only.shape === shape ? only : only.reshape(shape)
  const joined = new Uint8Array(parts.reduce((sum, { byteSize }) => sum + byteSize, 0))
  let offset = 0
  for (const { bytes } of parts) {
    joined.set(bytes, offset)
    offset += bytes.byteLength
  }
  return Tensor.fromBytes(datatype, shape, joined)
}
