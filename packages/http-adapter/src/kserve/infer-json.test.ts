import { describe, expect, test } from 'vitest'
import { errorOf, useTestClient } from '../test-client.ts'
import { inferBody } from '../test-server.ts'

const client = useTestClient()
const { infer } = client

describe('infer with JSON', () => {
  test.each([
    ['fp32', 'FP32', [0.1, -2.5, 1e39], '[0.10000000149011612,-2.5,Infinity]'],
    ['fp64', 'FP64', [0.1, 3, -1e-300], '[0.1,3.0,-1e-300]'],
    ['int8', 'INT8', [200, -200, 128], '[-56,56,-128]'],
    ['uint8', 'UINT8', [300, 256, 511], '[44,0,255]'],
    ['int32', 'INT32', [-2147483648, 2147483648, 7], '[-2147483648,-2147483648,7]'],
    ['uint32', 'UINT32', [4294967296, 4294967297, 4294967295], '[0,1,4294967295]'],
    ['bool', 'BOOL', [true, false, true], '[true,false,true]'],
    ['string', 'BYTES', ['a', '', 'h\u00e9llo "x"\n'], '["a","","h\u00e9llo \\"x\\"\\n"]'],
  ])('%s', async (model, datatype, data, expected) => {
    const response = await infer(model, inferBody(data, datatype))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.text()).toBe(
      `{"model_name":"${model}","model_version":"1","outputs":[{"name":"OUTPUT0","datatype":"${datatype}","shape":[1,3],"data":${expected}}]}`,
    )
  })

  test('64-bit integers keep every bit', async () => {
    const signed = '[-9223372036854775808,9007199254740993,9223372036854775807,-1,4294967296]'
    const body = inferBody([], 'INT64', [1, 5]).replace('"data":[]', `"data":${signed}`)
    expect(await (await infer('int64', body)).text()).toContain(`"data":${signed}`)
    const unsigned = '[18446744073709551615,9007199254740993,4294967295]'
    const more = inferBody([], 'UINT64', [1, 3]).replace('"data":[]', `"data":${unsigned}`)
    expect(await (await infer('uint64', more)).text()).toContain(`"data":${unsigned}`)
  })

  test('nested data, NaN, an id, many values', async () => {
    const nested = inferBody([[[1]], [[2.5]]], 'FP32', [1, 2], { id: 'a "b" \u00e9' })
    expect(await (await infer('fp32', nested)).json()).toMatchObject({
      id: 'a "b" \u00e9',
      outputs: [{ shape: [1, 2], data: [1, 2.5] }],
    })
    const special = inferBody([], 'FP32', [1, 3]).replace('"data":[]', '"data":[NaN,-Infinity,Inf]')
    expect(await (await infer('fp32', special)).text()).toContain('"data":[NaN,-Infinity,Infinity]')
    const values = Array.from({ length: 5000 }, (_, i) => Math.fround(Math.sin(i)))
    const answer = (await (await infer('fp32', inferBody(values))).json()) as { outputs: { data: number[] }[] }
    expect(answer.outputs[0]?.data).toEqual(values)
  })

  test('the wanted outputs, in order of their names', async () => {
    const inputs = [
      { name: 'A', datatype: 'INT32', shape: [1, 2], data: [1, 2] },
      { name: 'B', datatype: 'INT32', shape: [1, 2], data: [3, 4] },
    ]
    const names = async (outputs?: object[]): Promise<string[]> => {
      const answer = await (await infer('pair', JSON.stringify({ inputs, outputs }))).json()
      return (answer as { outputs: { name: string }[] }).outputs.map(({ name }) => name)
    }
    expect(await names()).toEqual(['OUT_A', 'OUT_B'])
    expect(await names([{ name: 'OUT_B' }])).toEqual(['OUT_B'])
    expect(await names([{ name: 'OUT_B' }, { name: 'OUT_A' }])).toEqual(['OUT_A', 'OUT_B'])
  })

  test('parameters reach the model', async () => {
    const parameters =
      '"parameters":{"s":"x","i":-3,"d":1.5,"t":true,"big":9007199254740993,"__proto__":"y","sequence_id":7,"priority":1,"timeout":5000}'
    await infer('fp32', inferBody([1]).replace(/}$/, `,${parameters}}`))
    const request = client.fixture.seen.at(-1)
    expect(Object.entries(request?.parameters ?? {})).toEqual([
      ['s', 'x'],
      ['i', -3],
      ['d', 1.5],
      ['t', true],
      ['big', 9007199254740993n],
      ['__proto__', 'y'],
    ])
    expect(request).toMatchObject({ correlationId: 7n, timeoutMicroseconds: 5000 })
  })

  test('labels and classes', async () => {
    const body = inferBody([1, 3, 2], 'FP32', [1, 3], {
      outputs: [{ name: 'OUTPUT0', parameters: { classification: 2 } }],
    })
    expect(await (await infer('labelled', body)).json()).toMatchObject({
      outputs: [{ datatype: 'BYTES', shape: [1, 2], data: ['3.000000:1:dog', '2.000000:2'] }],
    })
    const empty = inferBody([], 'FP32', [1, 0], { outputs: [{ name: 'OUTPUT0', parameters: { classification: 2 } }] })
    expect(await errorOf(infer('fp32', empty))).toEqual([400, "output 'OUTPUT0' has no elements to classify"])
  })
})
