import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Server, tensor } from '@triton-ts/core'
import { type HttpService, serveHttp } from '@triton-ts/http-adapter/node'
import { manualBackend, virtualClock } from '@triton-ts/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { goldenRepository } from './corpus.ts'
import { sendRaw } from './raw-http.ts'

/** What Triton answers in JSON. */
interface Reply {
  readonly status: number
  readonly body: unknown
}

const clock = virtualClock()
let backend: ReturnType<typeof manualBackend>
let server: Server
let http: HttpService

beforeEach(async () => {
  backend = manualBackend('python')
  server = await Server.start({ modelRepository: join(goldenRepository, 'queue'), backends: [backend], clock })
  http = await serveHttp(server, { port: 0, host: '127.0.0.1' })
})

afterEach(async () => {
  await http.close()
  await server.stop()
})

/** Sends a request; resolves when the engine has it, with the reply to come. */
async function send(value: number, parameters: Record<string, number> = {}): Promise<{ reply: Promise<Reply> }> {
  const seen = heardOf()
  const inputs = [{ name: 'IN', shape: [1, 1], datatype: 'INT32', data: [value] }]
  const reply = sendRaw(http.port, {
    method: 'POST',
    path: '/v2/models/slow_queue/infer',
    headers: {},
    body: Buffer.from(JSON.stringify({ inputs, parameters })),
  }).then(({ status, body }) => ({ status, body: JSON.parse(body.toString()) }))
  let done = false
  void reply.finally(() => {
    done = true
  })
  for (let turn = 0; turn < 10_000 && heardOf() === seen && !done; turn++) await setImmediate()
  return { reply }
}

/** Requests that wait or run. */
const heardOf = (): number => pending() + backend.waiting

const pending = (): number =>
  Number(/^nv_inference_pending_request_count\{.*\} (\d+)$/m.exec(server.metrics())?.[1] ?? Number.NaN)

async function finishOne(): Promise<void> {
  const { requests, finish } = await backend.next()
  for (const request of requests) {
    request.respond({ outputs: { OUT: tensor('INT32', [1, 1], request.inputs.get('IN')?.data as Int32Array) } })
  }
  finish()
}

const expired = { status: 503, body: { error: 'Request timeout expired' } }
const full = { status: 503, body: { error: '[request id: <id_unknown>] Exceeds maximum queue size' } }

test('the third request that would wait is refused', async () => {
  const running = await send(1)
  const waiting = [await send(2), await send(3)]
  expect(pending()).toBe(2)
  expect(await (await send(4)).reply).toEqual(full)
  await finishOne()
  await finishOne()
  await finishOne()
  const replies = await Promise.all([running, ...waiting].map(({ reply }) => reply))
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
})

test('a request waits for 200 ms, and a shorter time of its own holds instead', async () => {
  const running = await send(1)
  const patient = await send(2)
  const hasty = await send(3, { timeout: 50_000 })
  clock.advance(50.1)
  expect(await hasty.reply).toEqual(expired)
  const longer = await send(4, { timeout: 900_000 })
  clock.advance(149.95)
  expect(await patient.reply).toEqual(expired)
  clock.advance(50.1)
  expect(await longer.reply).toEqual(expired)
  await finishOne()
  expect((await running.reply).status).toBe(200)
  const [statistics] = server.statistics('slow_queue')
  expect(statistics?.inferenceStats.fail.count).toBe(3)
  expect(statistics?.inferenceStats.success.count).toBe(1)
})
