import { type DataType, type Outputs, Tensor, tensor } from '@triton-ts/core'
import { describe, expect } from 'vitest'
import { PythonRig, pythonBackends } from './python-rig.ts'

const samples: readonly Tensor[] = [
  tensor('BOOL', [3], new Uint8Array([1, 0, 1])),
  tensor('UINT8', [2], new Uint8Array([0, 255])),
  tensor('UINT16', [2], new Uint16Array([0, 65535])),
  tensor('UINT32', [2], new Uint32Array([0, 2 ** 32 - 1])),
  tensor('UINT64', [2], new BigUint64Array([0n, 2n ** 64n - 1n])),
  tensor('INT8', [2], new Int8Array([-128, 127])),
  tensor('INT16', [2], new Int16Array([-32768, 32767])),
  tensor('INT32', [2], new Int32Array([-(2 ** 31), 2 ** 31 - 1])),
  tensor('INT64', [2], new BigInt64Array([-(2n ** 63n), 2n ** 63n - 1n])),
  Tensor.fromBytes('FP16', [2], new Uint8Array([0x00, 0x3c, 0x01, 0x7c])),
  tensor('FP32', [2, 2], new Float32Array([Number.NaN, -0, Number.POSITIVE_INFINITY, 1e-45])),
  tensor('FP64', [2], new Float64Array([Number.MIN_VALUE, Number.MAX_VALUE])),
  tensor('BYTES', [4], ['', 'ä', new Uint8Array([0, 255]), 'x'.repeat(100_000)]),
]

const echoOf = (outputs: Outputs, { datatype }: Tensor) => outputs[`${datatype}_OUT`]

function expectSame(got: Tensor | undefined, want: Tensor): void {
  expect({ datatype: got?.datatype, shape: got?.shape }).toEqual({ datatype: want.datatype, shape: want.shape })
  expect(Buffer.from(got?.bytes ?? []).equals(want.bytes)).toBe(true)
}

describe.each(pythonBackends)('$name', ({ test }) => {
  test('every data type, many inputs at once, no element at all, large tensors', async ({ backend }) => {
    await using rig = await PythonRig.start(backend, ['echo'])
    const echo = (...inputs: Tensor[]) =>
      rig.server.infer('echo', Object.fromEntries(inputs.map((input) => [input.datatype, input])), {
        outputs: inputs.map(({ datatype }) => `${datatype}_OUT`),
      })
    for (const sample of samples) expectSame(echoOf(await echo(sample), sample), sample)
    const all = await echo(...samples)
    for (const sample of samples) expectSame(echoOf(all, sample), sample)

    const bf16 = Tensor.fromBytes('BF16', [2], new Uint8Array([0x80, 0x3f, 0x00, 0xc0]))
    expectSame(echoOf(await echo(bf16), bf16), bf16)

    const emptyTypes: DataType[] = ['INT32', 'FP64', 'BYTES']
    for (const type of emptyTypes) {
      const empty = Tensor.fromBytes(type, [0], new Uint8Array(0))
      expectSame(echoOf(await echo(empty), empty), empty)
    }
    const large = tensor(
      'FP32',
      [1000, 1000],
      Float32Array.from({ length: 1_000_000 }, (_, i) => i),
    )
    expectSame(echoOf(await echo(large), large), large)
  })

  test('what a request does not ask for is not answered', async ({ backend }) => {
    await using rig = await PythonRig.start(backend, ['echo'])
    const inputs = {
      INT32: tensor('INT32', [1], new Int32Array([1])),
      UINT8: tensor('UINT8', [1], new Uint8Array([1])),
    }
    const outputs = await rig.server.infer('echo', inputs, { outputs: ['UINT8_OUT'] })
    expect(Object.keys(outputs)).toEqual(['UINT8_OUT'])
  })
})
