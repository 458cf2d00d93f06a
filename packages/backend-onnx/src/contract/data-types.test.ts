import { type DataType, Tensor, type TensorData, tensor } from '@triton-ts/core'
import { describe, expect, test } from 'vitest'
import { contract, withServer } from './executors.ts'
import { identity, io } from './models.ts'

const values: { [T in Exclude<DataType, 'BF16'>]: TensorData<T> } = {
  BOOL: Uint8Array.of(0, 1),
  UINT8: Uint8Array.of(0, 255),
  UINT16: Uint16Array.of(0, 65535),
  UINT32: Uint32Array.of(0, 4294967295),
  UINT64: BigUint64Array.of(0n, 18446744073709551615n),
  INT8: Int8Array.of(-128, 127),
  INT16: Int16Array.of(-32768, 32767),
  INT32: Int32Array.of(-2147483648, 2147483647),
  INT64: BigInt64Array.of(-9223372036854775808n, 9223372036854775807n),
  FP16: Uint16Array.of(0x3c00, 0x7bff),
  FP32: Float32Array.of(-1.5, 3.4e38),
  FP64: Float64Array.of(Number.MIN_VALUE, -1e300),
  BYTES: ['grüße 😀', ''],
}

contract((kind) => {
  describe('data types', () => {
    test.each(Object.keys(values) as Exclude<DataType, 'BF16'>[])('%s', (datatype) =>
      withServer(
        kind,
        {
          'm/1/model.onnx': identity(datatype, ['n']),
          'm/config.pbtxt': io(`TYPE_${datatype.replace('BYTES', 'STRING')}`, '-1'),
        },
        async (server) => {
          const data = values[datatype]
          const { OUT } = await server.infer('m', { IN: tensor(datatype, [2], data) })
          expect(OUT).toMatchObject({ datatype, shape: [2] })
          expect(datatype === 'BYTES' ? OUT?.strings() : OUT?.data).toEqual(data)
          const none = await server.infer('m', { IN: Tensor.fromBytes(datatype, [0], new Uint8Array()) })
          expect(none.OUT).toMatchObject({ shape: [0], byteSize: 0 })
        },
      ),
    )
  })

  test('strings end at the first NUL, and bytes that are no UTF-8 stay as they are', () =>
    withServer(kind, { 'm/1/model.onnx': identity('BYTES', ['n', 'k']) }, async (server) => {
      const latin = Buffer.from('caf\xe9', 'latin1')
      const { OUT } = await server.infer('m', { IN: tensor('BYTES', [1, 3], ['a\0b', latin, 'é']) })
      expect(((OUT as Tensor).data as Uint8Array[]).map((bytes) => Buffer.from(bytes))).toEqual([
        Buffer.from('a'),
        latin,
        Buffer.from('é'),
      ])
    }))
})
