import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelRepository, type RepositoryFiles } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { packBytes } from '../../request/bytes.ts'
import { modelConfig } from '../../request/fixtures/request-rig.ts'
import { readInitialStates } from './initial-state.ts'

const state = (dims: string, data: string, type = 'INT32'): string => `sequence_batching { state {
  input_name: "IN" output_name: "OUT" data_type: TYPE_${type} dims: ${dims}
  initial_state { name: "first" data_type: TYPE_${type} dims: ${dims} ${data} } } }`

async function read(config: string, files: RepositoryFiles = {}, signal = new AbortController().signal) {
  await using repository = await modelRepository({ '1/': '', ...files })
  const states = await readInitialStates(modelConfig(config), repository.path, signal)
  return [...states].map(([name, tensor]) => {
    const data = tensor.datatype === 'BYTES' ? tensor.strings() : [...tensor.data]
    return [name, tensor.datatype, tensor.shape, data]
  })
}

const int32 = (...values: number[]): Uint8Array => new Uint8Array(Int32Array.from(values).buffer)

test('a model without sequences has none', async () => {
  expect(await read('')).toEqual([])
})

test('a state without initial_state has none', async () => {
  const plain = 'sequence_batching { state { input_name: "IN" output_name: "OUT" data_type: TYPE_INT32 dims: 1 } }'
  expect(await read(plain)).toEqual([])
})

test('zero_data', async () => {
  expect(await read(state('[2, 1]', 'zero_data: true'))).toEqual([['IN', 'INT32', [2, 1], [0, 0]]])
})

describe('data_file', () => {
  test('fills the state', async () => {
    const files = { 'initial_state/a': int32(5, -6) }
    expect(await read(state('2', 'data_file: "a"'), files)).toEqual([['IN', 'INT32', [2], [5, -6]]])
  })

  test('has a leading 1 with batching', async () => {
    const config = `max_batch_size: 8 ${state('2', 'data_file: "a"')}`
    expect(await read(config, { 'initial_state/a': int32(5, 6) })).toEqual([['IN', 'INT32', [1, 2], [5, 6]]])
  })

  test('may be longer', async () => {
    const files = { 'initial_state/deep/a': int32(5, 6, 7) }
    expect(await read(state('1', 'data_file: "deep/a"'), files)).toEqual([['IN', 'INT32', [1], [5]]])
  })

  test('that is too short', async () => {
    const reading = read(state('4', 'data_file: "a.bin"'), { 'initial_state/a.bin': int32(5) })
    const text = 'initial_state setting expects 16 bytes, but the data provided from a.binonly has 4 bytes.'
    await expect(reading).rejects.toMatchObject({ code: 'INVALID_ARG', message: text })
  })

  test('of strings has exactly those of the state', async () => {
    const config = state('2', 'data_file: "a"', 'STRING')
    const states = await read(config, { 'initial_state/a': packBytes(['x', 'yz']) })
    expect(states).toEqual([['IN', 'BYTES', [2], ['x', 'yz']]])
    await expect(read(config, { 'initial_state/a': packBytes(['x']) })).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: 'initial_state setting expects 2 strings, but the data provided from a has 1.',
    })
    await expect(read(config, { 'initial_state/a': 'abc' })).rejects.toMatchObject({ code: 'INVALID_ARG' })
  })

  test('that is missing', async () => {
    const missing = read(state('1', 'data_file: "a"'))
    await expect(missing).rejects.toMatchObject({ code: 'INTERNAL' })
    await expect(missing).rejects.toThrow(/^failed to open text file for read .*initial_state.a/)
  })

  test.each(['../secret', '/etc/hostname'])('may not be %s', async (file) => {
    const outside = read(state('1', `data_file: "${file}"`), { secret: int32(1), 'initial_state/': '' })
    await expect(outside).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: `initial_state file path '${file}' for state 'IN' in model 'm' is outside directory initial_state`,
    })
  })

  test('may not be a link to the outside', async () => {
    await using repository = await modelRepository({ secret: int32(1) })
    await mkdir(join(repository.path, 'initial_state'))
    await symlink('../secret', join(repository.path, 'initial_state/a'))
    await writeFile(join(repository.path, 'initial_state/b'), int32(1))
    const config = modelConfig(state('1', 'data_file: "a"'))
    const reading = readInitialStates(config, repository.path, new AbortController().signal)
    await expect(reading).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })

  test('is not read when the load is given up', async () => {
    const given = AbortSignal.abort(new Error('given up'))
    const reading = read(state('1', 'data_file: "a"'), { 'initial_state/a': int32(1) }, given)
    await expect(reading).rejects.toThrow('given up')
  })
})
