import type { ModelConfig, SequenceBatching, SequenceControl } from '../../config/model-config.ts'
import { type DataType, fromConfigType } from '../../request/data-type.ts'
import type { RequestInput } from '../../request/infer-request.ts'
import type { InferenceRequest } from '../../request/inference-request.ts'
import { type Tensor, tensor } from '../../request/tensor.ts'
import { zeroTensor } from '../../request/zero-tensor.ts'
import { NullRequest } from './null-request.ts'

type FlagKind = Exclude<SequenceControl['kind'], 'CONTROL_SEQUENCE_CORRID'>

const flagKinds: readonly FlagKind[] = ['CONTROL_SEQUENCE_START', 'CONTROL_SEQUENCE_END', 'CONTROL_SEQUENCE_READY']

/** The control inputs of a sequence model: START, END, READY and CORRID, as far as the model has them. */
export class SequenceControls {
  /** START, END and READY of a request that is ready: neither start nor end, start, end, both. */
  readonly #ready: readonly (readonly RequestInput[])[]
  readonly #notReady: readonly RequestInput[]
  readonly #correlationId: { readonly name: string; readonly datatype: DataType } | undefined
  readonly #shape: readonly number[]
  readonly #shapeTensors: ReadonlySet<string>

  constructor({ sequenceBatching, maxBatchSize, input }: ModelConfig) {
    const inputs = sequenceBatching?.controlInput ?? []
    this.#shape = maxBatchSize > 0 ? [1, 1] : [1]
    const flags = (...values: boolean[]): RequestInput[] => flagInputs(inputs, this.#shape, values)
    this.#ready = [
      flags(false, false, true),
      flags(true, false, true),
      flags(false, true, true),
      flags(true, true, true),
    ]
    this.#notReady = flags(false, false, false)
    const correlationId = findControl(inputs, 'CONTROL_SEQUENCE_CORRID')
    const datatype = correlationId && fromConfigType(correlationId.control.dataType)
    this.#correlationId = correlationId && datatype && { name: correlationId.name, datatype }
    this.#shapeTensors = new Set(input.filter(({ isShapeTensor }) => isShapeTensor).map(({ name }) => name))
  }

  /** The control inputs of a request that runs now. */
  tensorsFor({ sequenceStart, sequenceEnd, correlationId }: InferenceRequest): readonly RequestInput[] {
    const flags = this.#ready[(sequenceStart ? 1 : 0) + (sequenceEnd ? 2 : 0)] as readonly RequestInput[]
    return this.#withCorrelationId(flags, correlationId)
  }

  /**
   * A request that is not ready, with zeros, or empty strings, in the shapes of `like`, which has joined its sequence.
   * Shape tensors are copied, since the batch needs them equal.
   */
  nullRequest(like: InferenceRequest): NullRequest {
    const inputs = new Map<string, Tensor>()
    for (const [name, source] of like.inputs) {
      inputs.set(name, this.#shapeTensors.has(name) ? source : zeroTensor(source.datatype, source.shape))
    }
    for (const control of this.#withCorrelationId(this.#notReady, 0n)) inputs.set(control.name, control.tensor)
    return new NullRequest(like, inputs)
  }

  #withCorrelationId(flags: readonly RequestInput[], id: bigint | string): readonly RequestInput[] {
    if (this.#correlationId === undefined) return flags
    const { name, datatype } = this.#correlationId
    return [...flags, { name, tensor: correlationIdTensor(datatype, this.#shape, id) }]
  }
}

function findControl(inputs: SequenceBatching['controlInput'], kind: SequenceControl['kind']) {
  for (const { name, control: controls } of inputs) {
    const control = controls.find((candidate) => candidate.kind === kind)
    if (control !== undefined) return { name, control }
  }
  return undefined
}

/** `values` are those of START, END and READY. */
function flagInputs(
  inputs: SequenceBatching['controlInput'],
  shape: readonly number[],
  values: readonly boolean[],
): RequestInput[] {
  return flagKinds.flatMap((kind, i) => {
    const found = findControl(inputs, kind)
    return found ? [{ name: found.name, tensor: flagTensor(found.control, shape, values[i] ? 1 : 0) }] : []
  })
}

/** The false (0) or true (1) value of a control, in the type of the list that the configuration gives. */
function flagTensor(
  { int32FalseTrue, fp32FalseTrue, boolFalseTrue }: SequenceControl,
  shape: readonly number[],
  which: 0 | 1,
): Tensor {
  if (int32FalseTrue.length > 0) return tensor('INT32', shape, Int32Array.of(int32FalseTrue[which] as number))
  if (fp32FalseTrue.length > 0) return tensor('FP32', shape, Float32Array.of(fp32FalseTrue[which] as number))
  return tensor('BOOL', shape, Uint8Array.of(boolFalseTrue[which] ? 1 : 0))
}

/** Of a number the low bytes that the type has. An id of the other sort, as a null request has it, is none. */
function correlationIdTensor(datatype: DataType, shape: readonly number[], id: bigint | string): Tensor {
  if (datatype === 'BYTES') return tensor('BYTES', shape, [typeof id === 'string' ? id : ''])
  const number = typeof id === 'string' ? 0n : id
  if (datatype === 'UINT64') return tensor('UINT64', shape, BigUint64Array.of(number))
  if (datatype === 'INT64') return tensor('INT64', shape, BigInt64Array.of(number))
  if (datatype === 'UINT32') return tensor('UINT32', shape, Uint32Array.of(Number(BigInt.asUintN(32, number))))
  return tensor('INT32', shape, Int32Array.of(Number(BigInt.asIntN(32, number))))
}
