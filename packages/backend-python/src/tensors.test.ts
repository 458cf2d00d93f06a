import { type DataType, Tensor, tensor } from '@triton-ts/core'
import { expect } from 'vitest'
import { model, PythonRig, pythonTest } from './fixtures/python-rig.ts'

const test = pythonTest()
const dataTypes: readonly DataType[] = ['BOOL', 'UINT8', 'INT64', 'UINT64', 'FP16', 'FP32', 'FP64', 'BF16', 'BYTES']
const config = `backend: "python" instance_group { kind: KIND_CPU count: 1 }
  ${dataTypes.map((type) => `input { name: "${type}" data_type: TYPE_${type.replace('BYTES', 'STRING')} dims: [-1, -1] optional: true }`).join('\n')}
  ${dataTypes.map((type) => `output { name: "${type}" data_type: TYPE_${type.replace('BYTES', 'STRING')} dims: [-1, -1] }`).join('\n')}`
// BF16 goes through DLPack; the rest is looked at as arrays.
const echo = model(`
    def execute(self, requests):
        return [pb_utils.InferenceResponse([self.again(each) for each in request.inputs()]) for request in requests]
    def again(self, given):
        if given.name() == "BF16":
            return pb_utils.Tensor.from_dlpack("BF16", given.to_dlpack())
        array = given.as_numpy()
        assert list(array.shape) == given.shape()
        return pb_utils.Tensor(given.name(), array)`)
const files = { 'm/config.pbtxt': config, 'm/1/model.py': echo }
const bytesPerElement: Partial<Record<DataType, number>> = { BOOL: 1, UINT8: 1, FP16: 2, BF16: 2, FP32: 4 }

test('every data type in every shape, small and through shared memory', async ({ executable }) => {
  await using rig = await PythonRig.start(executable, files)
  for (const shape of [
    [1, 1],
    [0, 3],
    [3, 0],
    [7, 11],
    [300, 301],
  ]) {
    const count = shape.reduce((product, length) => product * length, 1)
    const sent = Object.fromEntries(
      dataTypes.map((type) => {
        if (type === 'BYTES')
          return [
            type,
            tensor(
              type,
              shape,
              Array.from({ length: count }, (_, i) => `${'ü'.repeat(i % 5)}`),
            ),
          ]
        const bytes = new Uint8Array(count * (bytesPerElement[type] ?? 8)).map((_, i) =>
          type === 'BOOL' ? i & 1 : i * 7,
        )
        return [type, Tensor.fromBytes(type, shape, bytes)]
      }),
    )
    const answered = await rig.server.infer('m', sent)
    for (const type of dataTypes) {
      expect(answered[type]?.shape, type).toEqual(shape)
      expect(
        Buffer.compare(answered[type]?.bytes ?? new Uint8Array(1), sent[type]?.bytes ?? new Uint8Array()),
        type,
      ).toBe(0)
    }
  }
})

test('elements of BYTES that are empty, huge, and no text', async ({ executable }) => {
  await using rig = await PythonRig.start(executable, files)
  const elements = [new Uint8Array(), new Uint8Array(3 << 20).fill(255), new Uint8Array([0, 1, 254]), new Uint8Array()]
  const sent = tensor('BYTES', [2, 2], elements)
  const { BYTES } = await rig.server.infer('m', { BYTES: sent })
  expect(Buffer.compare(BYTES?.bytes ?? new Uint8Array(), sent.bytes)).toBe(0)
})

test('many megabytes, and others meanwhile', async ({ executable }) => {
  await using rig = await PythonRig.start(executable, files)
  const large = Tensor.fromBytes('UINT8', [64, 1 << 20], new Uint8Array(64 << 20).fill(3))
  const small = tensor('UINT8', [1, 1], new Uint8Array([4]))
  const answers = await Promise.all([large, small].map((UINT8) => rig.server.infer('m', { UINT8 })))
  for (const [place, sent] of [large, small].entries()) {
    expect(Buffer.compare(answers[place]?.UINT8?.bytes ?? new Uint8Array(), sent.bytes)).toBe(0)
  }
})
