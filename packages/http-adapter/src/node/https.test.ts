import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectSecure, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { type Certificate, certificateAuthority, modelRepository } from '@triton-ts/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HttpService, serveHttp, serveMetrics } from '../node.ts'
import { inferBody, type TestServer, testServer } from '../test-server.ts'

const authority = certificateAuthority()
const certificate = authority.issue('server')
const host = '127.0.0.1'
const hasCurl = spawnSync('curl', ['--version']).status === 0
if (!hasCurl) console.log('skipped: there is no curl here to speak TLS with')
let fixture: TestServer

beforeAll(async () => {
  fixture = await testServer()
})
afterAll(() => fixture[Symbol.asyncDispose]())

const pemFiles = ({ cert, key }: Certificate) => ({ 'cert.pem': cert, 'key.pem': key })

/** Status and text of an answer; a GET where there is no body. */
async function ask({ port }: HttpService, path: string, options: RequestOptions = {}, body?: string) {
  const method = body === undefined ? 'GET' : 'POST'
  const sent = request({ host, port, path, method, ca: authority.cert, agent: false, ...options }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += chunk
  return [response.statusCode, text] as const
}

describe('TLS', () => {
  test('serves inference and metrics to those who trust the certificate', async () => {
    await using http = await serveHttp(fixture.server, { port: 0, tls: certificate })
    const [status, text] = await ask(http, '/v2/models/fp32/infer', {}, inferBody([1, 2]))
    expect([status, JSON.parse(text)]).toMatchObject([200, { outputs: [{ data: [1, 2] }] }])
    await expect(ask(http, '/v2', { ca: certificateAuthority().cert })).rejects.toThrow('certificate signature failure')
    await using metrics = await serveMetrics(fixture.server, { port: 0, tls: certificate })
    expect((await ask(metrics, '/metrics'))[1]).toContain('nv_inference_request_success')
  })

  test('takes a certificate as bytes', async () => {
    const bytes = { key: Buffer.from(certificate.key), cert: new TextEncoder().encode(certificate.cert) }
    await using http = await serveHttp(fixture.server, { port: 0, tls: bytes })
    expect((await ask(http, '/v2/health/live'))[0]).toBe(200)
  })

  test('nothing older than TLS 1.2 is spoken', async () => {
    await using http = await serveHttp(fixture.server, { port: 0, tls: certificate })
    const socket = connectSecure({
      host,
      port: http.port,
      ca: authority.cert,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
    })
    await once(socket, 'error')
    expect((await ask(http, '/v2/health/live'))[0]).toBe(200)
  })

  test('what speaks something else hears nothing, and harms nobody', async () => {
    await using http = await serveHttp(fixture.server, { port: 0, tls: certificate })
    const plain = httpRequest({ host, port: http.port, agent: false }).end()
    const [error] = (await once(plain, 'error')) as [NodeJS.ErrnoException]
    expect(error.code).toBe('ECONNRESET')
    for (const text of ['\x16\x03\x01\x00\x05hello', 'x'.repeat(10_000)]) {
      const socket = connect(http.port, host)
      socket.on('error', () => {}).write(text)
      socket.resume()
      await once(socket, 'close')
    }
    expect((await ask(http, '/v2/health/live'))[0]).toBe(200)
  })

  test.each([
    ['no PEM', { key: 'x', cert: 'y' }],
    ['the key of another certificate', { ...certificate, key: authority.issue('other').key }],
    [
      'authorities that are none',
      { ...certificate, ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' },
    ],
  ])('%s is refused at once', async (_, tls) => {
    await expect(serveHttp(fixture.server, { port: 0, tls })).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: expect.stringMatching(/^the TLS key or certificate cannot be used: /),
    })
  })
})

describe('mutual TLS', () => {
  test('answers clients with a certificate of the authority, and no others', async () => {
    const tls = { ...certificate, ca: authority.cert }
    await using http = await serveHttp(fixture.server, { port: 0, tls })
    expect((await ask(http, '/v2/health/live', authority.issue('client')))[0]).toBe(200)
    const stranger = certificateAuthority('another').issue('client')
    for (const wrong of [{}, stranger]) await expect(ask(http, '/v2/health/live', wrong)).rejects.toThrow()
    expect((await ask(http, '/v2/health/live', authority.issue('again')))[0]).toBe(200)
  })
})

test.skipIf(!hasCurl)('curl is served, with its certificate', async () => {
  await using files = await modelRepository({ 'ca.pem': authority.cert, ...pemFiles(authority.issue('curl')) })
  await using http = await serveHttp(fixture.server, { port: 0, tls: { ...certificate, ca: authority.cert } })
  const file = (name: string): string => join(files.path, name)
  const credentials = ['--cacert', file('ca.pem'), '--cert', file('cert.pem'), '--key', file('key.pem')]
  const body = ['--data', inferBody([3])]
  const target = `https://localhost:${http.port}/v2/models/fp32/infer`
  const { stdout } = await promisify(execFile)('curl', ['--silent', '--fail', ...credentials, ...body, target])
  expect(JSON.parse(stdout)).toMatchObject({ outputs: [{ data: [3] }] })
})

describe('closing', () => {
  /** Longer than a test may take, so that nothing ends because of it. */
  const patient = { timeout: 3600 }

  test('ends what is idle, and what never became secure', async () => {
    const http = await serveHttp(fixture.server, { port: 0, tls: certificate })
    const silent = connect(http.port, host)
    const idle = connectSecure({ host, port: http.port, ca: authority.cert })
    await Promise.all([once(silent, 'connect'), once(idle, 'secureConnect')])
    silent.resume()
    idle.resume()
    await Promise.all([once(silent, 'close'), once(idle, 'close'), http.close(patient)])
  })

  test('lets a request that has begun come to its end', async () => {
    const http = await serveHttp(fixture.server, { port: 0, tls: certificate })
    const socket: TLSSocket = connectSecure({ host, port: http.port, ca: authority.cert })
    const idle = connectSecure({ host, port: http.port, ca: authority.cert })
    await Promise.all([once(socket, 'secureConnect'), once(idle, 'secureConnect')])
    socket.write('GET /v2/health/live HTTP/1.1\r\n')
    idle.resume()
    const closed = http.close(patient)
    await once(idle, 'close')
    socket.write('Host: x\r\n\r\n')
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text).toContain('HTTP/1.1 200 OK')
    await closed
  })
})
