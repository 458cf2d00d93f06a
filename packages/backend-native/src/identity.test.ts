import { type DataType, Tensor, tensor } from '@triton-ts/core'
import { expect } from 'vitest'
import { configText, NativeRig, nativeTest } from './fixtures/native-rig.ts'

const values = (tensor: Tensor | undefined) => [...((tensor?.data ?? []) as Int32Array)]

nativeTest('a library runs: tensors, id and parameters go in and come out', async () => {
  await using rig = await NativeRig.start({ m: configText('identity') })
  const response = await rig.server.model('m').request({
    id: 'one',
    inputs: [{ name: 'INPUT0', tensor: tensor('INT32', [3], new Int32Array([1, 2, 3])) }],
    parameters: { text: 'ä', yes: true, whole: 7, half: 0.5, large: 2n ** 60n },
  })
  expect(values(response.outputs.OUTPUT0)).toEqual([1, 2, 3])
  expect(response.id).toBe('one')
  expect(response.parameters).toEqual({ text: 'ä', yes: true, whole: 7, half: 0.5, large: 2n ** 60n })
})

nativeTest('every data type, and no element at all', async () => {
  const types: DataType[] = ['BOOL', 'UINT16', 'UINT64', 'INT8', 'INT64', 'FP16', 'FP32', 'FP64', 'BF16', 'BYTES']
  const names = types.map((type) => `m_${type.toLowerCase()}`)
  const configs = types.map((type) => configText('identity', '', type === 'BYTES' ? 'STRING' : type))
  await using rig = await NativeRig.start(Object.fromEntries(names.map((name, i) => [name, configs[i] as string])))
  for (const [i, type] of types.entries()) {
    const full = type === 'BYTES' ? tensor('BYTES', [2], ['ä', '']) : Tensor.fromBytes(type, [2], new Uint8Array(16))
    const input = type === 'BYTES' ? full : Tensor.fromBytes(type, [2], full.bytes.subarray(0, 2 * size(type)))
    for (const sent of [input, Tensor.fromBytes(type, [0], new Uint8Array(0))]) {
      const { OUTPUT0 } = await rig.server.infer(names[i] as string, { INPUT0: sent })
      expect([OUTPUT0?.datatype, OUTPUT0?.shape]).toEqual([type, sent.shape])
      expect(Buffer.from(OUTPUT0?.bytes ?? []).equals(sent.bytes)).toBe(true)
    }
  }
})

const size = (type: DataType): number => ({ '8': 1, '6': 2, '2': 4, '4': 8, L: 1 })[type.at(-1) as string] ?? 1

nativeTest('large tensors', async () => {
  await using rig = await NativeRig.start({ m: configText('identity') })
  const data = Int32Array.from({ length: 1_000_000 }, (_, i) => i)
  const { OUTPUT0 } = await rig.server.infer('m', { INPUT0: tensor('INT32', [data.length], data) })
  expect(Buffer.from(OUTPUT0?.bytes ?? []).equals(Buffer.from(data.buffer))).toBe(true)
})

nativeTest('requests are batched, and the library counts them', async () => {
  const batching = 'max_batch_size: 8 dynamic_batching { max_queue_delay_microseconds: 20000 preferred_batch_size: 4 }'
  await using rig = await NativeRig.start({ m: configText('identity', batching) })
  const answers = await Promise.all(
    [1, 2, 3, 4].map((value) => rig.server.infer('m', { INPUT0: tensor('INT32', [1, 1], new Int32Array([value])) })),
  )
  expect(answers.map(({ OUTPUT0 }) => values(OUTPUT0))).toEqual([[1], [2], [3], [4]])
  const [statistics] = rig.server.statistics('m')
  expect(statistics?.inferenceCount).toBe(4)
  expect(statistics?.inferenceStats.success.count).toBe(4)
  expect(statistics?.inferenceStats.computeInfer.count).toBe(4)
  expect(statistics?.batchStats.map(({ batchSize }) => batchSize)).toEqual([4])
})

nativeTest('many requests over several instances', async () => {
  await using rig = await NativeRig.start({ m: configText('identity', 'instance_group { count: 3 kind: KIND_CPU }') })
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        rig.server.infer('m', { INPUT0: tensor('INT32', [1], new Int32Array([i])) }),
      ),
    )
    expect(answers.map(({ OUTPUT0 }) => values(OUTPUT0)[0])).toEqual(Array.from({ length: 50 }, (_, i) => i))
  }
})
