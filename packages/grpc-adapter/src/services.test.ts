import { type ChannelCredentials, Client, credentials, Metadata, status } from '@grpc/grpc-js'
import { describe, expect, test } from 'vitest'
import { testServer } from './fixtures/test-server.ts'
import { readProtoFiles } from './proto-files.ts'
import { type MethodMessages, Services } from './schema/services.ts'
import { serveGrpc } from './serve-grpc.ts'
import type { GrpcService } from './transport/grpc-service.ts'

const services = new Services(readProtoFiles())
const inference = 'inference.GRPCInferenceService'

// biome-ignore lint/suspicious/noExplicitAny: responses are whatever the schema says.
type Message = any

/** A client of @grpc/grpc-js whose messages protobufjs writes and reads. */
class JsClient extends Client implements Disposable {
  constructor({ port }: GrpcService, channel: ChannelCredentials = credentials.createInsecure()) {
    super(`127.0.0.1:${port}`, channel)
  }

  unary(name: string, request: object, metadata = new Metadata()): Promise<Message> {
    const { path, ...codec } = codecOf(inference, name)
    return new Promise((resolve, reject) => {
      this.makeUnaryRequest(path, codec.write, codec.read, request, metadata, (error, response) => {
        if (error === null) resolve(response)
        else reject(error)
      })
    })
  }

  stream(service: string, name: string, metadata = new Metadata()) {
    const { path, write, read } = codecOf(service, name)
    return this.makeBidiStreamRequest(path, write, read, metadata)
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

function codecOf(service: string, name: string) {
  const { path, requests, responses }: MethodMessages = services.method(service, name)
  return {
    path,
    write: (message: object): Buffer => Buffer.concat(requests.encode(message)),
    read: (bytes: Buffer): Message => responses.decode(bytes),
  }
}

const request = (model_name: string, id: string, ...values: number[]): object => ({
  ...{ model_name, id },
  inputs: [{ name: 'IN', datatype: 'INT32', shape: [values.length], contents: { int_contents: values } }],
})

async function collect(stream: AsyncIterable<Message>): Promise<Message[]> {
  const all: Message[] = []
  for await (const message of stream) all.push(message)
  return all
}

describe('over a connection, with @grpc/grpc-js', () => {
  test('requests are answered, large ones too', async () => {
    await using fixture = await testServer()
    await using grpc = await serveGrpc(fixture.server, { port: 0 })
    using client = new JsClient(grpc)
    expect(await client.unary('ServerLive', {})).toEqual({ live: true })
    const values = Array.from({ length: 100_000 }, (_, i) => i)
    const { raw_output_contents: raw } = await client.unary('ModelInfer', request('int32', 'a', ...values))
    expect([...new Int32Array(Uint8Array.from(raw[0]).buffer)]).toEqual(values)
    await expect(client.unary('ModelInfer', request('nope', 'b', 1))).rejects.toMatchObject({
      code: status.NOT_FOUND,
      details: "Request for unknown model: 'nope' is not found",
    })
  })

  test('a stream has responses and errors in order, and ends with OK', async () => {
    await using fixture = await testServer()
    await using grpc = await serveGrpc(fixture.server, { port: 0 })
    using client = new JsClient(grpc)
    const stream = client.stream(inference, 'ModelStreamInfer')
    for (let i = 0; i < 50; i++) stream.write(request(i % 10 === 9 ? 'nope' : 'int32', `r${i}`, i))
    stream.end()
    const all = await collect(stream)
    expect(all.map(({ infer_response }) => infer_response.id)).toEqual(Array.from({ length: 50 }, (_, i) => `r${i}`))
    expect(all.filter(({ error_message }) => error_message !== '')).toHaveLength(5)
  })

  test('a stream that the client cancels takes its requests along', async () => {
    await using fixture = await testServer()
    await using grpc = await serveGrpc(fixture.server, { port: 0 })
    using client = new JsClient(grpc)
    const stream = client.stream(inference, 'ModelStreamInfer')
    stream.on('error', () => {})
    stream.write(request('manual', 'a', 1))
    const { requests, finish } = await fixture.manual.next()
    stream.cancel()
    await expect.poll(() => requests[0]?.signal.aborted).toBe(true)
    finish()
  })

  test('a unary call that the client cancels takes its request along', async () => {
    await using fixture = await testServer()
    await using grpc = await serveGrpc(fixture.server, { port: 0 })
    using client = new JsClient(grpc)
    const { path, write, read } = codecOf(inference, 'ModelInfer')
    const call = client.makeUnaryRequest(path, write, read, request('manual', 'a', 1), new Metadata(), () => {})
    const { requests, finish } = await fixture.manual.next()
    call.cancel()
    await expect.poll(() => requests[0]?.signal.aborted).toBe(true)
    finish()
  })

  test('health can be watched and services listed, and neither keeps the endpoint from closing', async () => {
    await using fixture = await testServer()
    const grpc = await serveGrpc(fixture.server, { port: 0 })
    using client = new JsClient(grpc)
    const watch = client.stream('grpc.health.v1.Health', 'Watch')
    const ended = new Promise<Error>((resolve) => watch.on('error', resolve))
    watch.end({})
    const first = await new Promise<Message>((resolve) => watch.once('data', resolve))
    expect(first).toEqual({ status: 'SERVING' })
    const reflection = client.stream('grpc.reflection.v1.ServerReflection', 'ServerReflectionInfo')
    reflection.on('error', () => {})
    reflection.write({ list_services: '' })
    const listed = await new Promise<Message>((resolve) => reflection.once('data', resolve))
    expect(listed.list_services_response.service).toContainEqual({ name: inference })
    await grpc.close()
    expect(await ended).toMatchObject({ code: status.UNAVAILABLE })
  })
})
