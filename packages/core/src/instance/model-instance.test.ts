import { manualBackend } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import type { BackendInstance } from '../backend/backend.ts'
import { input, manual, started } from '../fixtures/server-rig.ts'

test.each<[string, BackendInstance['execute']]>([
  [
    'throws nothing',
    ([request]) => {
      request?.keep()
      throw undefined
    },
  ],
  [
    'rejects with nothing',
    ([request]) => {
      request?.keep()
      return Promise.reject()
    },
  ],
])('a request that is kept by a backend that %s fails, and the instance runs again', async (_, execute) => {
  const backend = manualBackend('manual', { createInstance: async () => ({ execute, async dispose() {} }) })
  const server = await started({ 'm/config.pbtxt': manual(), 'm/1/': '' }, { backends: [backend] })
  for (let time = 0; time < 2; time++) {
    await expect(server.infer('m', input())).rejects.toThrow('backend threw nothing')
  }
})
