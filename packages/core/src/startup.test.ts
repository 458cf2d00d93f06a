import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, test, vi } from 'vitest'
import { cleanUp } from './fixtures/server-rig.ts'
import { Server } from './index.ts'

test('a start is given up while a bucket does not answer', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  cleanUp(async () => vi.unstubAllEnvs())
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  cleanUp(async () => silent.close())
  const { port } = silent.address() as AddressInfo
  const server = new Server({ modelRepository: `s3://127.0.0.1:${port}/bucket/models` })
  const controller = new AbortController()
  const start = server.start({ signal: controller.signal })
  const [socket] = (await once(silent, 'connection')) as [Socket]
  cleanUp(async () => socket.destroy())
  controller.abort()
  await expect(start).rejects.toMatchObject({ code: 'CANCELLED', message: 'the start was given up' })
  expect(server.state).toBe('stopped')
})
