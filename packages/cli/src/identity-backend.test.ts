import { type DataType, dataTypes, packBytes, Server, Tensor, TritonError } from '@triton-ts/core'
import { modelRepository } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { identity } from './identity-backend.ts'

const pbtxt = (input: string, output: string, more = '') => `
backend: "identity"
max_batch_size: 8
input [ { name: "INPUT0" dims: [ -1 ] ${input} } ]
output [ { name: "OUTPUT0" dims: [ -1 ] ${output} } ]
${more}`

async function serve(files: Readonly<Record<string, string>>): Promise<AsyncDisposable & { readonly server: Server }> {
  const repository = await modelRepository(files)
  const server = await Server.start({ modelRepository: repository.path, backends: [identity()] })
  return {
    server,
    async [Symbol.asyncDispose]() {
      await server.stop()
      await repository[Symbol.asyncDispose]()
    },
  }
}

const configType = (type: DataType) => `data_type: TYPE_${type === 'BYTES' ? 'STRING' : type}`

test('every type comes back as it went in', async () => {
  await using serving = await serve(
    Object.fromEntries(
      dataTypes.flatMap((type) => [
        [`${type}/config.pbtxt`, pbtxt(configType(type), configType(type))],
        [`${type}/1/`, ''],
      ]),
    ),
  )
  for (const type of dataTypes) {
    const bytes = type === 'BYTES' ? packBytes(['hi', '']) : new Uint8Array(16).fill(1)
    const count = type === 'BYTES' ? 2 : Tensor.fromBytes(type, [1, 1], bytes).data.length
    const { OUTPUT0 } = await serving.server.infer(type, { INPUT0: Tensor.fromBytes(type, [1, count], bytes) })
    expect(OUTPUT0?.datatype).toBe(type)
    expect(OUTPUT0?.shape).toEqual([1, count])
    expect([...(OUTPUT0?.bytes ?? [])]).toEqual([...bytes])
  }
})

test('a missing optional input gives zeros', async () => {
  const input = (name: string, type: string) => `{ name: "${name}" data_type: ${type} dims: [ -1, 2 ] optional: true }`
  const output = (name: string, type: string) => `{ name: "${name}" data_type: ${type} dims: [ -1, 2 ] }`
  const config = `
backend: "identity"
max_batch_size: 8
input [ ${input('INPUT0', 'TYPE_FP32')}, ${input('INPUT1', 'TYPE_INT16')}, ${input('INPUT2', 'TYPE_STRING')} ]
output [ ${output('OUTPUT0', 'TYPE_FP32')}, ${output('OUTPUT1', 'TYPE_INT16')}, ${output('OUTPUT2', 'TYPE_STRING')} ]`
  await using serving = await serve({ 'm/config.pbtxt': config, 'm/1/': '' })
  const outputs = await serving.server.infer('m', { INPUT0: Tensor.of('FP32', [2, 1, 2], new Float32Array(4)) })
  expect(outputs.OUTPUT1?.shape).toEqual([2, 1, 2])
  expect(outputs.OUTPUT1?.data).toEqual(new Int16Array(4))
  expect(outputs.OUTPUT2?.strings()).toEqual(['', '', '', ''])
})

test('the delay parameter makes a request take its time', async () => {
  const fp32 = 'data_type: TYPE_FP32'
  const parameters = 'parameters { key: "execute_delay_ms" value: { string_value: "20" } }'
  await using serving = await serve({ 'm/config.pbtxt': pbtxt(fp32, fp32, parameters), 'm/1/': '' })
  await serving.server.infer('m', { INPUT0: Tensor.of('FP32', [1, 1], new Float32Array(1)) })
  const [statistics] = serving.server.statistics('m')
  expect(statistics?.inferenceStats.computeInfer.ns).toBeGreaterThan(10_000_000)
})

describe('configurations that are refused', () => {
  const fp32 = 'data_type: TYPE_FP32'
  test.each([
    [pbtxt(fp32, 'data_type: TYPE_INT32'), 'expected input and output datatype to match, got TYPE_FP32 and TYPE_INT32'],
    [pbtxt(fp32, `${fp32} dims: [ 2 ]`), 'expected input and output shape to match, got [-1] and [-1,2]'],
    [pbtxt(fp32, fp32).replace('INPUT0', 'IN'), "expected input name to follow INPUT<index> pattern, got 'IN'"],
    [pbtxt(fp32, fp32).replace('OUTPUT0', 'OUT'), "expected output name to follow OUTPUT<index> pattern, got 'OUT'"],
    [pbtxt(fp32, fp32).replace('OUTPUT0', 'OUTPUT1'), 'expected input and output indices to match'],
    [pbtxt(fp32, fp32).replace(/output.*/, ''), 'model configuration must have equal input/output pairs'],
    [
      pbtxt(fp32, fp32, 'parameters { key: "execute_delay_ms" value: { string_value: "soon" } }'),
      "parameter 'execute_delay_ms' of model 'm' must be a number, got 'soon'",
    ],
  ])('%s', async (config, text) => {
    await expect(serve({ 'm/config.pbtxt': config, 'm/1/': '' })).rejects.toSatisfy(
      (error) => error instanceof TritonError && error.message.includes(text),
    )
  })
})
