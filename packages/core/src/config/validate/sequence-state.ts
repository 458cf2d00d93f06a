import { fromConfigType } from '../../request/data-type.ts'
import type { ModelConfig, SequenceState } from '../model-config.ts'
import type { ProblemList } from './problem-list.ts'

/** Triton checks states when the scheduler is made, after everything else; growable memory when a sequence starts. */
export function checkSequenceStates(list: ProblemList, config: ModelConfig, states: readonly SequenceState[]): void {
  const initialised = new Set<string>()
  for (const [index, state] of states.entries()) {
    const path = `sequence_batching.state[${index}]`
    const { inputName, dataType, dims, initialState } = state
    const hasType = fromConfigType(dataType) !== undefined
    list.require(hasType, `${path}.data_type`, `state '${inputName}' must specify 'data_type' for ${config.name}`)
    const hasDims = dims.every((dim) => dim >= -1)
    list.require(hasDims, `${path}.dims`, `tensor '${inputName}' contains an invalid dimension [${dims.join(',')}]`)
    if (initialState.length > 1) {
      const message =
        `initial_state field for state input '${inputName}' must contain exactly one or zero element. ` +
        `Found '${initialState.length}' elements.`
      list.add(`${path}.initial_state`, message)
    } else if (initialState.length === 1) {
      checkInitialState(list, state, `${path}.initial_state[0]`, initialised)
    }
    if (state.useGrowableMemory) checkGrowableMemory(list, config, state, `${path}.use_growable_memory`)
  }
}

/** Triton stops at the first of these. */
function checkInitialState(
  list: ProblemList,
  { inputName, dataType, dims, initialState }: SequenceState,
  path: string,
  initialised: Set<string>,
): void {
  const [initial] = initialState
  if (initial === undefined) return
  const typeMessage = `The data type used for 'initial_state' field of state '${inputName}' does not match the state data type.`
  if (!list.require(initial.dataType === dataType, `${path}.data_type`, typeMessage)) return
  const nameMessage = `Field 'name' must be set when using initial_state for state input '${inputName}'.`
  if (!list.require(initial.name !== '', `${path}.name`, nameMessage)) return
  const repeated = `State input name '${inputName}' specified more than once.`
  if (!list.require(!initialised.has(inputName), path, repeated)) return
  initialised.add(inputName)
  const dimsMessage = initialDimsMessage(inputName, initial.dims, dims)
  if (dimsMessage !== undefined) list.add(`${path}.dims`, dimsMessage)
  else if (initial.zeroData === undefined && initial.dataFile === undefined) {
    list.add(path, `initial_state setting expects state'${inputName}' to have state_data set`)
  }
}

function initialDimsMessage(input: string, initial: readonly number[], state: readonly number[]): string | undefined {
  if (initial.length !== state.length) {
    return (
      `Number of dimensions in 'initial_state' doesn't match the size of 'state' dimensions for state input '${input}'. ` +
      `${initial.length} != ${state.length}`
    )
  }
  for (const [i, dim] of initial.entries()) {
    if (dim === -1) return `'initial_state' field for state input name '${input}' contains variable dimensions.`
    if (state[i] !== -1 && dim !== state[i]) {
      return `'initial_state' dim for input name '${input}' doesn't match 'state' dim description. ${dim} != ${state[i]}`
    }
    if (dim < -1) return `tensor '${input}' contains an invalid dimension [${initial.join(',')}]`
  }
  return undefined
}

function checkGrowableMemory(
  list: ProblemList,
  { instanceGroup }: ModelConfig,
  { inputName, useSameBufferForInputOutput }: SequenceState,
  path: string,
): void {
  const buffer = `In order to 'use_growable_memory', you must also enable 'use_single_buffer' for state input name '${inputName}'.`
  if (!list.require(useSameBufferForInputOutput, path, buffer)) return
  const kind =
    "'use_growable_memory' can only work with KIND_GPU model instances right now. Please either change the instance " +
    `type to KIND_GPU or set 'use_growable_memory' to false for state input '${inputName}'.`
  list.require(
    instanceGroup.every((group) => group.kind === 'KIND_GPU'),
    path,
    kind,
  )
}
