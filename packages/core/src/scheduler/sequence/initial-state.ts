import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelConfig } from '../../config/model-config.ts'
import { TritonError } from '../../errors.ts'
import { pathInside } from '../../repository/path-inside.ts'
import { unpackBytes } from '../../request/bytes.ts'
import { type DataType, dataTypeSizes, fromConfigType } from '../../request/data-type.ts'
import { elementCount } from '../../request/shape.ts'
import { Tensor } from '../../request/tensor.ts'
import { zeroTensor } from '../../request/zero-tensor.ts'
import type { InitialStates } from './sequence-state.ts'

/**
 * The values that a valid configuration gives to states at the start of a sequence, from zeros or from files in
 * `<model>/initial_state`. A file may be longer than the state needs; one of strings has exactly the state's.
 * @throws TritonError when a file cannot be read (INTERNAL), lies outside that directory (UNSUPPORTED) or does not fill
 *   the state (INVALID_ARG).
 */
export async function readInitialStates(
  { name: model, sequenceBatching, maxBatchSize }: ModelConfig,
  modelDirectory: string,
  signal: AbortSignal,
): Promise<InitialStates> {
  const directory = join(modelDirectory, 'initial_state')
  const states = new Map<string, Tensor>()
  for (const { inputName, initialState } of sequenceBatching?.state ?? []) {
    const [initial] = initialState
    const datatype = initial && fromConfigType(initial.dataType)
    if (initial === undefined || datatype === undefined) continue
    const shape = maxBatchSize > 0 ? [1, ...initial.dims] : initial.dims
    if (initial.dataFile === undefined) {
      states.set(inputName, zeroTensor(datatype, shape))
      continue
    }
    const path = await pathInside(directory, initial.dataFile)
    if (path === undefined) {
      throw new TritonError(
        'UNSUPPORTED',
        `initial_state file path '${initial.dataFile}' for state '${inputName}' in model '${model}' is outside directory initial_state`,
      )
    }
    const content = await readFile(path, { signal }).catch((cause: unknown) => {
      signal.throwIfAborted()
      throw new TritonError('INTERNAL', `failed to open text file for read ${path}`, { cause })
    })
    const bytes = stateBytes(datatype, elementCount(shape), content, initial.dataFile)
    states.set(inputName, Tensor.fromBytes(datatype, shape, bytes))
  }
  return states
}

function stateBytes(datatype: DataType, elements: number, content: Buffer, file: string): Uint8Array {
  if (datatype === 'BYTES') {
    const { length } = unpackBytes(content)
    if (length === elements) return content
    throw new TritonError(
      'INVALID_ARG',
      `initial_state setting expects ${elements} strings, but the data provided from ${file} has ${length}.`,
    )
  }
  const byteSize = elements * dataTypeSizes[datatype]
  if (byteSize <= content.length) return new Uint8Array(content.subarray(0, byteSize))
  throw new TritonError(
    'INVALID_ARG',
    `initial_state setting expects ${byteSize} bytes, but the data provided from ${file}only has ${content.length} bytes.`,
  )
}
