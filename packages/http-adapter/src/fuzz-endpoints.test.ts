import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { silentLogger } from '@triton-ts/core'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpService, serveHttp } from './node.ts'
import { inferBody, type TestServer, testServer } from './test-server.ts'

/** Faults of this program that were logged. */
const faults: unknown[] = []
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let fixture: TestServer
let http: HttpService

beforeAll(async () => {
  fixture = await testServer([], { modelControl: 'explicit', loadModels: ['*'] })
  const logger = { ...silentLogger, error: (fields: object) => faults.push(fields) }
  http = await serveHttp(fixture.server, { port: 0, sharedMemory: true, logger })
})
afterAll(async () => {
  agent.destroy()
  await http.close()
  await fixture[Symbol.asyncDispose]()
})

interface Attack {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

async function send({ method, path, headers, body }: Attack): Promise<[status: number, text: string]> {
  const length = { 'content-length': body.byteLength }
  const options = { port: http.port, host: '127.0.0.1', agent, method, path, headers: { ...headers, ...length } }
  const sent = request(options).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return [response.statusCode ?? 0, Buffer.concat(chunks).toString()]
}

/** What only somebody who reads the sources should see. */
const inside =
  /\n\s+at |node:|node_modules|file:\/\/|packages\/|Cannot read prop|is not a function|is not defined|internal error/

async function expectAnswer(attack: Attack): Promise<void> {
  const [status, text] = await send(attack)
  const shown = JSON.stringify({ ...attack, body: Buffer.from(attack.body).toString() })
  expect(faults, shown).toEqual([])
  if (status < 400 || attack.method === 'HEAD') return
  expect([400, 404, 405, 500, 501, 503], shown).toContain(status)
  // The readiness of what is not ready is an empty text.
  if (text === '') return expect(attack.path).toMatch(/health/)
  const { error } = JSON.parse(text.replace(/^data: /, '')) as { error: string }
  expect(error, shown).not.toBe('')
  expect(error, shown).not.toMatch(inside)
  expect(error, shown).not.toContain(process.cwd())
}

const post = (path: string, body: string): Attack => ({ method: 'POST', path, headers: {}, body: Buffer.from(body) })

async function expectServing(): Promise<void> {
  const [status, text] = await send(post('/v2/models/fp32/infer', inferBody([1, 2])))
  expect([status, JSON.parse(text)]).toMatchObject([200, { outputs: [{ data: [1, 2] }] }])
}

const deep = (open: string, close: string): string => `${open.repeat(5000)}1${close.repeat(5000)}`

const wild = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  fc.constantFrom<unknown>(-1, 0, 1, 2 ** 31, 2 ** 53, 2 ** 64, 1e300, '', '1', '-1', 'TIMESTAMPS', 'OFF', true, null),
  fc.constantFrom<unknown>([], {}, ['TIMESTAMPS'], ['OFF', 'TENSORS'], { b64: 'AAAA' }, '/etc/passwd', '../../x', '/'),
)
const record = (...names: string[]) =>
  fc.dictionary(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, fc.string()), wild, { maxKeys: 5 })

/** Texts of configurations: some of a model, some of none. */
const configs = fc.oneof(
  fc.string(),
  fc.json({ maxDepth: 2 }),
  fc.constantFrom(
    '{"backend":"identity"}',
    '{"backend":"../../../bin/sh","max_batch_size":1e9}',
    '{"backend":"identity","instance_group":[{"count":-1}],"input":[{"name":"","dims":[0]}]}',
    '{"name":"fp32","platform":"ensemble","ensemble_scheduling":{"step":[{"model_name":"int16"}]}}',
    deep('[', ']'),
    deep('{"a":', '}'),
  ),
)
const load = fc.record({
  parameters: fc.oneof(
    wild,
    fc.dictionary(
      fc.constantFrom(
        'config',
        'file:',
        'file:1/model.txt',
        'file:../../../tmp/x',
        'file:/etc/x',
        'file:1/..',
        'other',
      ),
      fc.oneof(configs, wild),
    ),
  ),
})

const names = fc.oneof(
  fc.constantFrom('int16', 'pair', 'nope', '..', '%2e%2e%2f', '%00', '%ff', '%', 'a::b', '__proto__', 'constructor'),
  fc.constantFrom('x'.repeat(500), '%F0%9F%98%80', '~', "'", '"', '<b>'),
)
const versions = fc.constantFrom('', '', '/versions/1', '/versions/0', '/versions/99999999999999999999')

/** Every endpoint, with bodies that have something of what it expects. */
const targets: readonly (readonly [method: string, path: string, body: fc.Arbitrary<unknown>])[] = [
  ['POST', '/v2/models/{name}{version}/infer', record('id', 'inputs', 'outputs', 'parameters')],
  ['POST', '/v2/models/{name}{version}/generate', record('INPUT0', 'A', 'B', 'id', 'parameters')],
  ['POST', '/v2/models/{name}{version}/generate_stream', record('INPUT0', 'A', 'B', 'id', 'parameters')],
  ['GET', '/v2/models/{name}{version}/ready', wild],
  ['GET', '/v2/models/{name}{version}/stats', wild],
  ['GET', '/v2/models/{name}{version}/config', wild],
  ['GET', '/v2/models/{name}{version}', wild],
  ['GET', '/v2/models/stats', wild],
  ['GET', '/v2/health/ready', wild],
  ['GET', '/v2', wild],
  ['POST', '/v2/repository/index', record('ready')],
  ['POST', '/v2/repository/{name}/index', record('ready')],
  ['POST', '/v2/repository/models/{name}/load', load],
  ['POST', '/v2/repository/{name}/models/{name}/load', load],
  ['POST', '/v2/repository/models/{name}/unload', record('parameters', 'unload_dependents')],
  ['POST', '/v2/trace/setting', record('trace_level', 'trace_rate', 'trace_count', 'log_frequency', 'trace_file')],
  ['POST', '/v2/models/{name}/trace/setting', record('trace_level', 'trace_rate', 'trace_count', 'trace_file')],
  ['GET', '/v2/trace/setting', wild],
  ['POST', '/v2/logging', record('log_file', 'log_info', 'log_error', 'log_verbose_level', 'log_format')],
  ['GET', '/v2/logging', wild],
  ['POST', '/v2/systemsharedmemory/region/{name}/register', record('key', 'offset', 'byte_size')],
  ['POST', '/v2/systemsharedmemory/region/{name}/unregister', wild],
  ['GET', '/v2/systemsharedmemory/region/{name}/status', wild],
  ['POST', '/v2/cudasharedmemory/region/{name}/register', record('raw_handle', 'device_id', 'byte_size')],
  ['POST', '/v2/cudasharedmemory/unregister', wild],
  ['GET', '/v2/cudasharedmemory/status', wild],
  ['GET', '/{name}', wild],
]

const damages = fc.constantFrom('none', 'none', 'cut', 'byte', 'empty', 'nested', 'gzip')

function damaged(json: unknown, damage: string, place: number, byte: number): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(json))
  const at = place % bytes.length
  if (damage === 'empty') return new Uint8Array(0)
  if (damage === 'cut') return bytes.subarray(0, at)
  if (damage === 'byte') bytes[at] = byte
  if (damage === 'nested') return Buffer.from(deep('[', ']'))
  return damage === 'gzip' ? gzipSync(bytes) : bytes
}

const headers = fc.dictionary(
  fc.constantFrom('content-encoding', 'accept-encoding', 'inference-header-content-length', 'content-type', 'expect'),
  fc.constantFrom('', 'gzip', 'deflate', 'br', '-1', '5', '99999999999', 'identity;q=0', 'text/plain', '*'),
  { maxKeys: 2 },
)

const attacks = fc
  .record({ target: fc.constantFrom(...targets), name: names, version: versions })
  .chain(({ target: [method, path, body], name, version }) =>
    fc.record({
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constant(method) },
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'),
      ),
      path: fc.constant(path.replaceAll('{name}', name).replace('{version}', version)),
      headers,
      body: fc.tuple(body, damages, fc.nat(), fc.nat(255)).map((parts) => damaged(...parts)),
    }),
  )

test('4,000 malformed requests to every endpoint', async () => {
  const before = process.memoryUsage().rss
  await fc.assert(fc.asyncProperty(attacks, expectAnswer), { numRuns: 4000, seed: 20_261 })
  await expectServing()
  expect(process.memoryUsage().rss - before).toBeLessThan(500 * 2 ** 20)
})

const requestText = `POST /v2/models/fp32/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`
const chunkedText =
  'POST /v2/models/fp32/infer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'
const broken = fc
  .record({
    text: fc.constantFrom(requestText, chunkedText, requestText + chunkedText),
    place: fc.nat(),
    size: fc.nat(4),
    bytes: fc.uint8Array({ maxLength: 6 }),
  })
  .map(({ text, place, size, bytes }) => {
    const at = place % text.length
    return Buffer.concat([Buffer.from(text.slice(0, at)), bytes, Buffer.from(text.slice(at + size))])
  })

test('1,000 connections with what is almost HTTP', async () => {
  await fc.assert(
    fc.asyncProperty(broken, async (bytes) => {
      const socket = connect(http.port, '127.0.0.1').on('error', () => {})
      const chunks: Buffer[] = []
      socket.on('data', (chunk: Buffer) => chunks.push(chunk)).end(bytes)
      await once(socket, 'close')
      const text = Buffer.concat(chunks).toString()
      expect(text).toMatch(/^(HTTP\/1\.1 |$)/)
      expect(text).not.toMatch(inside)
      expect(faults).toEqual([])
    }),
    { numRuns: 1000, seed: 20_262 },
  )
  await expectServing()
})
