import { tensor } from '@triton-ts/core'
import { expect } from 'vitest'
import { configText, NativeRig, nativeTest } from './fixtures/native-rig.ts'

const input = { INPUT0: tensor('INT32', [1], new Int32Array([1])) }

nativeTest('two Servers run the same library side by side, each until it stops', async () => {
  await using first = await NativeRig.start({ m: configText('identity') })
  {
    await using second = await NativeRig.start({ m: configText('identity') })
    await Promise.all([first.server.infer('m', input), second.server.infer('m', input)])
  }
  const { OUTPUT0 } = await first.server.infer('m', input)
  expect(OUTPUT0?.data[0]).toBe(1)
})
