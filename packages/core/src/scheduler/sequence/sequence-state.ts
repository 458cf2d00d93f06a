import type { ModelConfig } from '../../config/model-config.ts'
import { TritonError } from '../../errors.ts'
import { type BytesElement, packBytes } from '../../request/bytes.ts'
import { createArray, fromConfigType, type NumericArray } from '../../request/data-type.ts'
import type { RequestInput } from '../../request/infer-request.ts'
import type { StateStore } from '../../request/request-content.ts'
import { Tensor } from '../../request/tensor.ts'
import { zeroTensor } from '../../request/zero-tensor.ts'
import { distinctStates } from './distinct-states.ts'

/** Where the configuration gives them: values with which sequences start, by name of the state's input. */
export type InitialStates = ReadonlyMap<string, Tensor>

interface StateSlot {
  readonly initial: RequestInput
  /** Whether input and output share their memory. */
  readonly isShared: boolean
}

/** Makes the implicit state of sequences. */
export class SequenceStateFactory {
  readonly #slots: readonly StateSlot[]
  readonly #indexOfOutput: ReadonlyMap<string, number>

  constructor({ sequenceBatching, maxBatchSize }: ModelConfig, initial: InitialStates) {
    const states = distinctStates(sequenceBatching?.state ?? [])
    this.#slots = states.map(({ inputName: name, dataType, dims, useSameBufferForInputOutput: isShared }) => {
      const shape = [...(maxBatchSize > 0 ? [1] : []), ...dims.map((dim) => (dim === -1 ? 1 : dim))]
      const tensor = initial.get(name) ?? zeroTensor(fromConfigType(dataType) ?? 'UINT8', shape)
      return { initial: { name, tensor }, isShared }
    })
    this.#indexOfOutput = new Map(states.map(({ outputName }, i) => [outputName, i]))
  }

  /** The state of a sequence that starts; undefined for a model without state. */
  create(): SequenceState | undefined {
    return this.#slots.length === 0 ? undefined : new SequenceState(this.#slots, this.#indexOfOutput)
  }
}

/** The implicit state of one live sequence: what its next request gets. */
export class SequenceState implements StateStore {
  readonly #slots: readonly StateSlot[]
  readonly #indexOfOutput: ReadonlyMap<string, number>
  readonly #inputs: RequestInput[]

  constructor(slots: readonly StateSlot[], indexOfOutput: ReadonlyMap<string, number>) {
    this.#slots = slots
    this.#indexOfOutput = indexOfOutput
    this.#inputs = slots.map(({ initial: { name, tensor }, isShared }) => ({
      name,
      tensor: isShared ? copyOf(tensor) : tensor,
    }))
  }

  get inputs(): readonly RequestInput[] {
    return this.#inputs
  }

  /**
   * Copies the value of a state's output, which becomes the input of the next request. Where both share their memory
   * and the size is the same, it is written over the value before.
   * @throws TritonError INVALID_ARG for an output that is not of a state.
   */
  update(output: string, state: Tensor): void {
    const index = this.#indexOfOutput.get(output)
    if (index === undefined) throw new TritonError('INVALID_ARG', `state '${output}' is not a valid state name.`)
    const { initial, isShared } = this.#slots[index] as StateSlot
    const before = (this.#inputs[index] as RequestInput).tensor
    const tensor = isShared && before.byteSize === state.byteSize ? writtenOver(before, state) : copyOf(state)
    this.#inputs[index] = { name: initial.name, tensor }
  }
}

function writtenOver({ bytes }: Tensor, state: Tensor): Tensor {
  bytes.set(state.bytes)
  return Tensor.fromBytes(state.datatype, [...state.shape], bytes)
}

function copyOf(state: Tensor): Tensor {
  const { datatype, shape } = state
  if (datatype === 'BYTES') {
    const bytes = state.hasPackedBytes ? new Uint8Array(state.bytes) : packBytes(state.data as readonly BytesElement[])
    return Tensor.fromBytes(datatype, [...shape], bytes)
  }
  const data = state.data as NumericArray
  const copy = createArray(datatype, data.length)
  copy.set(data as never)
  return Tensor.of(datatype, [...shape], copy)
}
