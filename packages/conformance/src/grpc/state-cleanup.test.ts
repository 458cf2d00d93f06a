import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2'
import { diagnostics, type RequestMessage, Server, tensor } from '@triton-ts/core'
import { type GrpcService, serveGrpc } from '@triton-ts/grpc-adapter'
import { type Execution, type ManualBackend, manualBackend, modelRepository } from '@triton-ts/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ProtoWriter } from '../../../testing/src/proto-writer.ts'

const unary = '/inference.GRPCInferenceService/ModelInfer'
const stream = '/inference.GRPCInferenceService/ModelStreamInfer'

/** A message in its frame: a request of one item for a model. */
function framedRequest(model: string): Buffer {
  const input = new ProtoWriter().text(1, 'IN').text(2, 'FP32').integer(3, 1)
  const bytes = new ProtoWriter().text(1, model).message(5, input).bytes(7, new Uint8Array(4)).toBytes()
  const frame = Buffer.alloc(5)
  frame.writeUInt32BE(bytes.byteLength, 1)
  return Buffer.concat([frame, bytes])
}

const answer = { outputs: { OUT: tensor('FP32', [1], new Float32Array(1)) } }

let backend: ManualBackend
let server: Server
let grpc: GrpcService
let session: ClientHttp2Session
const open = new Set<RequestMessage>()
let ended: RequestMessage[] = []
const begin = (message: RequestMessage): void => void open.add(message)
const end = (message: RequestMessage): void => {
  open.delete(message)
  ended.push(message)
}

beforeEach(async () => {
  backend = manualBackend()
  const config = (more: string): string => `backend: "manual" ${more} instance_group { kind: KIND_CPU count: 1 }
    input { name: "IN" data_type: TYPE_FP32 dims: 1 } output { name: "OUT" data_type: TYPE_FP32 dims: 1 }`
  const repository = await modelRepository({
    'm/config.pbtxt': config(''),
    'm/1/': '',
    'd/config.pbtxt': config('model_transaction_policy { decoupled: true }'),
    'd/1/': '',
  })
  server = await Server.start({ modelRepository: repository.path, backends: [backend], exitTimeout: 5 })
  await repository[Symbol.asyncDispose]()
  grpc = await serveGrpc(server, { port: 0 })
  session = connect(`http://127.0.0.1:${grpc.port}`)
  session.on('error', () => {})
  diagnostics.requestStart.subscribe(begin)
  diagnostics.requestEnd.subscribe(end)
})

// Whatever was cut: nothing is in flight, or the server could not stop in time.
afterEach(async () => {
  await expect.poll(() => open.size).toBe(0)
  diagnostics.requestStart.unsubscribe(begin)
  diagnostics.requestEnd.unsubscribe(end)
  ended = []
  session.destroy()
  await grpc.close({ timeout: 5 })
  await server.stop()
})

function call(path: string): ClientHttp2Stream {
  const made = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' })
  made.on('error', () => {})
  return made
}

const runs = (execution: Execution): boolean => execution.requests.some(({ isCancelled }) => !isCancelled)

/** How a call comes to an end before its time. */
const cuts: Readonly<Record<string, (cut: ClientHttp2Stream) => void>> = {
  cancelled: (cut) => cut.close(constants.NGHTTP2_CANCEL),
  'cut with its connection': () => session.destroy(),
}

describe.each(Object.entries(cuts))('a call that is %s', (_, cut) => {
  test.each([unary, stream])('before its first message leaves nothing: %s', async (path) => {
    const made = call(path)
    await new Promise((resolve) => session.ping(resolve))
    cut(made)
    await expect.poll(() => made.closed).toBe(true)
    expect(ended).toEqual([])
  })

  test.each([unary, stream])('in the middle of a message leaves nothing: %s', async (path) => {
    const made = call(path)
    made.write(framedRequest('m').subarray(0, 12))
    await new Promise((resolve) => session.ping(resolve))
    cut(made)
    await expect.poll(() => made.closed).toBe(true)
    expect(ended).toEqual([])
  })

  test.each([unary, stream])('while its request runs cancels it: %s', async (path) => {
    const made = call(path)
    made.end(framedRequest('m'))
    const execution = await backend.next()
    cut(made)
    await expect.poll(() => runs(execution)).toBe(false)
    execution.finish()
    await expect.poll(() => ended.map(({ error }) => error?.code)).toEqual(['CANCELLED'])
  })

  test.each([unary, stream])('while its request waits takes it out of the queue: %s', async (path) => {
    const first = server.infer('m', { IN: [1] })
    const execution = await backend.next()
    const made = call(path)
    made.end(framedRequest('m'))
    await expect.poll(() => open.size).toBe(2)
    cut(made)
    await expect.poll(() => ended.map(({ error }) => error?.code)).toEqual(['CANCELLED'])
    execution.requests[0]?.respond(answer)
    execution.finish()
    await first
    expect(backend.waiting).toBe(0)
  })

  test('with several requests cancels them all', async () => {
    const made = call(stream)
    for (const model of ['m', 'd', 'm', 'd']) made.write(framedRequest(model))
    const executions = [await backend.next(), await backend.next()]
    await expect.poll(() => open.size).toBe(4)
    cut(made)
    await expect.poll(() => executions.some(runs)).toBe(false)
    for (const execution of executions) execution.finish()
    await expect.poll(() => ended.map(({ error }) => error?.code)).toEqual(Array(4).fill('CANCELLED'))
  })

  test('between two responses cancels the rest', async () => {
    const made = call(stream)
    made.write(framedRequest('d'))
    const execution = await backend.next()
    execution.requests[0]?.respond(answer, { final: false })
    await new Promise((resolve) => made.once('data', resolve))
    cut(made)
    await expect.poll(() => runs(execution)).toBe(false)
    execution.finish()
  })

  test('after its client has said all cancels what is still to come', async () => {
    const made = call(stream)
    made.end(framedRequest('d'))
    const execution = await backend.next()
    cut(made)
    await expect.poll(() => runs(execution)).toBe(false)
    execution.finish()
  })
})

test('a call whose time is over cancels its request', async () => {
  const headers = { ':method': 'POST', ':path': unary, 'content-type': 'application/grpc', te: 'trailers' }
  const made = session.request({ ...headers, 'grpc-timeout': '50m' })
  made.resume()
  made.end(framedRequest('m'))
  const execution = await backend.next()
  await expect.poll(() => runs(execution)).toBe(false)
  execution.finish()
})

test('a stream with an error in the middle leaves nothing of the requests around it', async () => {
  const made = call(stream)
  made.resume()
  for (const model of ['m', 'nobody', 'd']) made.write(framedRequest(model))
  made.end()
  for (const execution of [await backend.next(), await backend.next()]) {
    execution.requests[0]?.respond(answer)
    execution.finish()
  }
  await expect.poll(() => made.closed).toBe(true)
  expect(ended.map(({ error }) => error)).toEqual([undefined, undefined])
})
