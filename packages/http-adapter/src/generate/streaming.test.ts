import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { type Server, tensor } from '@triton-ts/core'
import type { ExecutionRequest } from '@triton-ts/core/backend'
import express from 'express'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kserve as expressKserve } from '../express.ts'
import { kserve as fastifyKserve } from '../fastify.ts'
import { fetchHandler } from '../fetch.ts'
import { serveHttp } from '../node.ts'
import { blockSize, type GenerateServer, generateServer } from './test-models.ts'

let fixture: GenerateServer

beforeAll(async () => {
  fixture = await generateServer()
})
afterAll(() => fixture[Symbol.asyncDispose]())

interface Application extends AsyncDisposable {
  readonly port: number
}

const hosts: Record<string, (server: Server) => Promise<Application>> = {
  'node:http': async (server) => {
    const http = await serveHttp(server, { port: 0, host: '127.0.0.1' })
    return { port: http.port, [Symbol.asyncDispose]: () => http.close() }
  },
  Express: async (server) => {
    const listener = express().use('/v2', expressKserve(server)).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    return {
      port: (listener.address() as { port: number }).port,
      async [Symbol.asyncDispose]() {
        listener.closeAllConnections()
        listener.close()
      },
    }
  },
  Fastify: async (server) => {
    const fastify = Fastify({ forceCloseConnections: true })
    fastify.register(fastifyKserve, { server })
    const { port } = new URL(await fastify.listen({ port: 0, host: '127.0.0.1' }))
    return { port: Number(port), [Symbol.asyncDispose]: () => fastify.close() }
  },
}

/** Sends a request and gives the response, of which nothing is read. */
async function open(port: number, model: string, body: object): Promise<IncomingMessage> {
  const path = `/v2/models/${model}/generate_stream`
  const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', path, agent: false })
  request.end(JSON.stringify(body))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

const say = (request: ExecutionRequest | undefined, letter: string): void =>
  request?.respond({ outputs: { LETTER: tensor('BYTES', [1], [letter]) } }, { final: false })
const event = (letter: string): string => `data: {"LETTER":"${letter}","model_name":"manual","model_version":"1"}\n\n`

/** What a number is that has not changed for many turns. */
async function whenQuiet(read: () => number): Promise<number> {
  let last = read()
  for (let quiet = 0; quiet < 200; quiet++) {
    await setImmediate()
    if (read() === last) continue
    last = read()
    quiet = 0
  }
  return last
}

/** Blocks that are more than all buffers between the model and a client hold. */
const many = 1000

describe.each(Object.entries(hosts))('%s', (_, start) => {
  test('an event is there before the next one is made, in a chunk of its own', async () => {
    await using app = await start(fixture.server)
    const opening = open(app.port, 'manual', { TEXT: '' })
    const { requests, finish } = await fixture.backend.next()
    say(requests[0], 'a')
    const response = await opening
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'transfer-encoding': 'chunked',
    })
    expect(String((await once(response, 'data'))[0])).toBe(event('a'))
    say(requests[0], '日')
    expect(String((await once(response, 'data'))[0])).toBe(event('日'))
    requests[0]?.end()
    finish()
    await once(response.resume(), 'end')
  })

  test('a model waits for a client that does not read, and the client gets all in the end', async () => {
    await using app = await start(fixture.server)
    const { waits } = fixture.blocks
    const response = await open(app.port, 'blocks', { COUNT: many })
    await waits
    expect(await whenQuiet(() => fixture.blocks.sent)).toBeLessThan(many / 2)
    expect((await buffer(response)).byteLength).toBeGreaterThan(many * blockSize)
    expect(fixture.blocks.sent).toBe(many)
  })

  test.each([
    ['waits for its client', 'blocks'],
    ['has nothing to say', 'manual'],
  ])('a client that leaves cancels a model that %s', async (_, model) => {
    await using app = await start(fixture.server)
    if (model === 'blocks') {
      const { waits } = fixture.blocks
      const response = await open(app.port, model, { COUNT: many })
      await waits
      response.destroy()
      await fixture.blocks.done
      expect(fixture.blocks.sent).toBeLessThan(many)
      return
    }
    const opening = open(app.port, model, { TEXT: '' })
    const { requests, finish } = await fixture.backend.next()
    say(requests[0], 'a')
    const response = await opening
    const cancelled = once(requests[0]?.signal as AbortSignal, 'abort')
    response.destroy()
    await cancelled
    requests[0]?.end()
    finish()
  })

  test('a client that leaves before the first response cancels the request', async () => {
    await using app = await start(fixture.server)
    for (const action of ['generate', 'generate_stream']) {
      const socket = connect(app.port, '127.0.0.1')
      const path = `/v2/models/manual/${action}`
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n{"TEXT":""}`)
      const { requests, finish } = await fixture.backend.next()
      const cancelled = once(requests[0]?.signal as AbortSignal, 'abort')
      socket.destroy()
      await cancelled
      requests[0]?.end()
      finish()
    }
  })
})

describe('node:http', () => {
  test('many streams at once, on few connections', async () => {
    const http = await serveHttp(fixture.server, { port: 0, host: '127.0.0.1' })
    const agent = new Agent({ keepAlive: true, maxSockets: 3 })
    const read = async (text: string): Promise<string> => {
      const path = '/v2/models/letters/generate_stream'
      const request = httpRequest({ port: http.port, host: '127.0.0.1', method: 'POST', path, agent })
      request.end(JSON.stringify({ TEXT: text }))
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      return String(await buffer(response))
    }
    const texts = Array.from({ length: 60 }, (_, i) => 'abc'.repeat(i))
    const answers = await Promise.all(texts.map(read))
    const spelled = answers.map((events) => [...events.matchAll(/"LETTER":"(.)"/g)].map((match) => match[1]).join(''))
    expect(spelled).toEqual(texts)
    agent.destroy()
    await http.close()
  })

  test('a stream is answered to its end when the service closes', async () => {
    const http = await serveHttp(fixture.server, { port: 0, host: '127.0.0.1' })
    const opening = open(http.port, 'manual', { TEXT: '' })
    const { requests, finish } = await fixture.backend.next()
    say(requests[0], 'a')
    const response = await opening
    const closed = http.close()
    say(requests[0], 'b')
    requests[0]?.end()
    finish()
    expect(String(await buffer(response))).toBe(event('a') + event('b'))
    await closed
  })

  test('a client of HTTP/1.0 reads until the connection ends', async () => {
    const http = await serveHttp(fixture.server, { port: 0, host: '127.0.0.1' })
    const socket = connect(http.port, '127.0.0.1')
    socket.write('POST /v2/models/letters/generate_stream HTTP/1.0\r\nContent-Length: 13\r\n\r\n{"TEXT":"ab"}')
    const text = String(await buffer(socket))
    expect(text).not.toContain('chunked')
    expect(text.endsWith(event('b').replace('manual', 'letters'))).toBe(true)
    await http.close()
  })
})

describe('fetch', () => {
  const open = (model: string, body: object, signal?: AbortSignal): Promise<Response> => {
    const init = { method: 'POST', body: JSON.stringify(body), signal: signal ?? null }
    return fetchHandler(fixture.server)(new Request(`http://host/v2/models/${model}/generate_stream`, init))
  }

  test('a response is taken when the reader wants it', async () => {
    const { waits } = fixture.blocks
    const response = await open('blocks', { COUNT: 100 })
    await waits
    // The first one decides the status, sixteen wait, and one waits for room.
    expect(fixture.blocks.sent).toBe(17)
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100 * blockSize)
  })

  test.each(['the reader leaves', 'the request is aborted'])('%s: the request is cancelled', async (how) => {
    const caller = new AbortController()
    const opening = open('manual', { TEXT: '' }, caller.signal)
    const { requests, finish } = await fixture.backend.next()
    say(requests[0], 'a')
    const response = await opening
    const cancelled = once(requests[0]?.signal as AbortSignal, 'abort')
    if (how === 'the reader leaves') await response.body?.cancel()
    else caller.abort()
    await cancelled
    requests[0]?.end()
    finish()
  })

  test('a reader that leaves while it waits ends the request', async () => {
    const opening = open('manual', { TEXT: '' })
    const { requests, finish } = await fixture.backend.next()
    say(requests[0], 'a')
    const reader = (await opening).body?.getReader()
    await reader?.read()
    const reading = reader?.read()
    await reader?.cancel()
    expect(await reading).toMatchObject({ done: true })
    expect(requests[0]?.isCancelled).toBe(true)
    requests[0]?.end()
    finish()
  })
})
