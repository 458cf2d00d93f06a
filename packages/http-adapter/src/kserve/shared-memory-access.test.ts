import { sharedMemoryFile } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { fetchHandler } from '../fetch.ts'
import { serveHttp } from '../node.ts'
import { testServer } from '../test-server.ts'

const disabled = "Client shared memory is disabled. Start the server with '--allow-client-shm=true' to enable."

const linuxTest = test.skipIf(process.platform !== 'linux')

linuxTest('clients may register where they are told to, or where only this machine reaches the endpoint', async () => {
  await using fixture = await testServer()
  await using file = await sharedMemoryFile(new Uint8Array(64))
  const { server } = fixture
  const outcome = async (via: (request: Request) => Promise<Response>, origin = 'http://host'): Promise<string> => {
    const init = { method: 'POST', body: JSON.stringify({ key: file.key, byte_size: 64 }) }
    const answer = await via(new Request(`${origin}/v2/systemsharedmemory/region/x/register`, init))
    const unregister = await via(new Request(`${origin}/v2/systemsharedmemory/region/x/unregister`, { method: 'POST' }))
    expect(unregister.status).toBe(answer.status)
    expect((await via(new Request(`${origin}/v2/systemsharedmemory/status`))).status).toBe(200)
    return answer.status === 200 ? 'registered' : (JSON.parse(await answer.text()) as { error: string }).error
  }
  expect(await outcome(fetchHandler(server))).toBe(disabled)
  await using loopback = await serveHttp(server, { port: 0 })
  expect(await outcome(fetch, `http://127.0.0.1:${loopback.port}`)).toBe('registered')
  await using everywhere = await serveHttp(server, { port: 0, host: '0.0.0.0' })
  expect(await outcome(fetch, `http://127.0.0.1:${everywhere.port}`)).toBe(disabled)
  await using told = await serveHttp(server, { port: 0, host: '0.0.0.0', sharedMemory: true })
  expect(await outcome(fetch, `http://127.0.0.1:${told.port}`)).toBe('registered')
  await using forbidden = await serveHttp(server, { port: 0, sharedMemory: false })
  expect(await outcome(fetch, `http://127.0.0.1:${forbidden.port}`)).toBe(disabled)
})
