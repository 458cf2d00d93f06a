import { tensor } from '@triton-ts/core'
import { expect } from 'vitest'
import { NativeRig, nativeTest, parameterText } from './fixtures/native-rig.ts'

const config = (mode = '', more = '') => `
  backend: "repeat"
  input { name: "IN" data_type: TYPE_INT32 dims: 1 }
  output { name: "OUT" data_type: TYPE_INT32 dims: 1 }
  model_transaction_policy { decoupled: true }
  ${mode === '' ? '' : parameterText('mode', mode)} ${more}`

const numberOf = (count: number) => ({ IN: tensor('INT32', [1], new Int32Array([count])) })

async function numbers(rig: NativeRig, count: number): Promise<number[]> {
  const all: number[] = []
  for await (const { OUT } of rig.server.inferStream('m', numberOf(count)))
    all.push(...((OUT?.data ?? []) as Int32Array))
  return all
}

nativeTest.for(['', 'last'])('responses come in order after the request was released, mode "%s"', async (mode) => {
  await using rig = await NativeRig.start({ m: config(mode) })
  expect(await numbers(rig, 5)).toEqual([0, 1, 2, 3, 4])
  expect(await numbers(rig, 0)).toEqual([])
  const many = await Promise.all(Array.from({ length: 10 }, () => numbers(rig, 20)))
  expect(many).toEqual(many.map(() => Array.from({ length: 20 }, (_, i) => i)))
})

nativeTest('an end without any response', async () => {
  await using rig = await NativeRig.start({ m: config('empty') })
  expect(await numbers(rig, 3)).toEqual([])
})

nativeTest('an error ends the stream', async () => {
  await using rig = await NativeRig.start({ m: config() })
  await expect(numbers(rig, -1)).rejects.toThrow('IN must not be negative')
})

nativeTest('the library counts its responses', async () => {
  await using rig = await NativeRig.start({ m: config() })
  await numbers(rig, 2)
  const [statistics] = rig.server.statistics('m')
  expect(Object.keys(statistics?.responseStats ?? {})).toEqual(['0', '1'])
  expect(statistics?.responseStats['1']?.success.count).toBe(1)
})

nativeTest('leaving the stream cancels the request in the library', async () => {
  await using rig = await NativeRig.start({ m: config('endless') })
  let count = 0
  for await (const { OUT } of rig.server.inferStream('m', numberOf(0))) {
    expect(OUT?.data[0]).toBe(count)
    if (++count === 3) break
  }
  // The server stops when the library has ended the request.
  await rig.server.stop()
})
