import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Authorize, apiKeys } from '@triton-ts/protocol'
import { modelRepository } from '@triton-ts/testing'
import express from 'express'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { kserve as expressKserve } from './express.ts'
import { kserve as fastifyKserve } from './fastify.ts'
import { fetchHandler } from './fetch.ts'
import { serveHttp } from './node.ts'
import { inferBody, type TestServer, testServer } from './test-server.ts'

const key = 'a-key-that-nobody-guesses'
let fixture: TestServer
let authorize: Authorize

beforeAll(async () => {
  fixture = await testServer()
  await using files = await modelRepository({ keys: key })
  authorize = await apiKeys(`${files.path}/keys`, { exemptApis: ['health'] })
})
afterAll(() => fixture[Symbol.asyncDispose]())

type Ask = (path: string, init?: RequestInit) => Promise<Response>

/** Asks an application that listens as long as `use` takes. */
async function listening(listener: RequestListener, use: (ask: Ask) => Promise<void>): Promise<void> {
  const http = createServer(listener).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  await use((path, init) => fetch(`http://127.0.0.1:${port}${path}`, init))
  http.closeAllConnections()
  http.close()
}

const entries: Record<string, (use: (ask: Ask) => Promise<void>) => Promise<void>> = {
  async 'node:http'(use) {
    await using http = await serveHttp(fixture.server, { port: 0, authorize })
    await use((path, init) => fetch(`http://127.0.0.1:${http.port}${path}`, init))
  },
  Express: (use) => listening(express().use('/v2', expressKserve(fixture.server, { authorize })), use),
  async Fastify(use) {
    const fastify = Fastify({ forceCloseConnections: true })
    fastify.register(fastifyKserve, { server: fixture.server, authorize })
    const url = await fastify.listen({ port: 0, host: '127.0.0.1' })
    await use((path, init) => fetch(url + path, init))
    await fastify.close()
  },
  async fetch(use) {
    const handle = fetchHandler(fixture.server, { authorize })
    await use((path, init) => handle(new Request(`http://host${path}`, init)))
  },
}

test.each(Object.entries(entries))('%s asks for keys', async (_, start) => {
  await start(async (ask) => {
    const infer = (headers: Record<string, string>) =>
      ask('/v2/models/fp32/infer', { method: 'POST', body: inferBody([1]), headers })
    const refused = await infer({ 'X-API-Key': `${key}r` })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await refused.json()).toEqual({ error: "not authorized for 'inference': valid credentials are needed" })
    expect((await infer({ 'X-API-Key': key })).status).toBe(200)
    expect((await infer({ Authorization: `Bearer ${key}` })).status).toBe(200)
    expect((await ask('/v2/health/ready')).status).toBe(200)
    expect((await ask('/v2/models/fp32/config')).status).toBe(401)
  })
})
