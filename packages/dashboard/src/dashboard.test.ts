import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { Server, silentLogger, TritonError } from '@triton-ts/core'
import { serveMetrics } from '@triton-ts/http-adapter/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DashboardRig, dashboardRig, echoModel } from './fixtures/dashboard-rig.ts'
import { createDashboard } from './index.ts'
import type { LiveSnapshot } from './live-snapshot.ts'

let rig: DashboardRig
beforeAll(async () => {
  rig = await dashboardRig({ 'echo/config.pbtxt': echoModel('FP32', '[2]'), 'echo/1/': '' })
})
afterAll(() => rig[Symbol.asyncDispose]())

const inputs = [{ name: 'INPUT0', datatype: 'FP32', shape: [2], data: [1, 2.5] }]
const infer = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/v2/models/echo/infer`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ inputs }),
  })

/** With headers that fetch does not let one set. */
const getAs = (
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    })
      .on('error', reject)
      .end()
  })

describe('the page', () => {
  test('is one text that asks nobody else, under a policy that allows its own script and style alone', async () => {
    const response = await fetch(`${rig.url}/`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; /)
    expect(policy).not.toContain('unsafe')
    for (const part of ["connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
      expect(policy).toContain(part)
    }
    const html = await response.text()
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    expect(html).toContain('<title>triton-ts</title>')
    expect(html).toMatch(/<!-- uPlot.*Permission is hereby granted.* -->/s)
    expect(html.length).toBeLessThan(120_000)
  })

  test('is not framed, sniffed or kept, and neither is anything beside it', async () => {
    for (const path of ['/', '/snapshot', '/v2', '/nothing']) {
      const { headers } = await fetch(rig.url + path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  test('is not there unless it is asked for', async () => {
    await using server = await Server.start()
    await using http = await serveMetrics(server, { port: 0 })
    for (const path of ['/', '/snapshot', '/v2']) {
      expect(await (await fetch(`http://127.0.0.1:${http.port}${path}`)).text()).toBe('')
    }
  })

  test('leaves the metrics where they are', async () => {
    expect(await (await fetch(`${rig.url}/metrics`)).text()).toContain('nv_inference_count')
  })
})

describe('what is served beside it', () => {
  test('the snapshot tells what each version does, and is taken once for all who ask at a time', async () => {
    await using rig = await dashboardRig({ 'echo/config.pbtxt': echoModel('FP32', '[2]'), 'echo/1/': '' })
    await rig.server.infer('echo', { INPUT0: new Float32Array(2) })
    const [one, other] = await Promise.all([1, 2].map(async () => (await fetch(`${rig.url}/snapshot`)).json()))
    const { state, models } = one as LiveSnapshot
    expect(other).toEqual(one)
    expect(state).toBe('ready')
    expect(models).toMatchObject([{ name: 'echo', version: 1, pending: 0, inflight: 0, instances: 1, failures: 0 }])
    expect(models[0]?.successes).toBe(1)
  })

  test('requests of the form run, and tell why they ran when they did', async () => {
    const response = await infer(rig.url)
    expect(await response.json()).toMatchObject({ outputs: [{ name: 'OUTPUT0', data: [1, 2.5] }] })
    const explanation = decodeURIComponent(response.headers.get('triton-ts-explanation') ?? '')
    expect(explanation).toMatch(/^waited [\d.]+ ms, ran alone because an instance was free, on echo_0$/)
  })

  test.each(['/v2/models/echo', '/v2/models/echo/config', '/v2'])('GET %s is answered', async (path) => {
    expect((await fetch(rig.url + path)).status).toBe(200)
  })

  test.each([
    '/v2/repository/models/echo/unload',
    '/v2/repository/models/echo/load',
    '/v2/logging',
    '/v2/trace/setting',
    '/v2/systemsharedmemory/region/r/register',
    '/v2/models/echo/trace/setting',
    '/v2/health/live',
  ])('POST %s is not: the page has no use for it', async (path) => {
    const response = await fetch(rig.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    })
    expect([response.status, await response.json()]).toEqual([404, { error: 'Not Found' }])
  })

  test('other methods are refused', async () => {
    for (const path of ['/', '/snapshot']) {
      const headers = { 'Content-Type': 'application/json' }
      expect((await fetch(rig.url + path, { method: 'PUT', headers, body: '{}' })).status).toBe(405)
    }
  })
})

describe('requests that a page elsewhere makes', () => {
  test('are refused and change nothing', async () => {
    const before = rig.server.statistics('echo')[0]?.inferenceCount
    for (const headers of [{ Origin: 'https://evil.example' }, { 'Content-Type': 'text/plain' }]) {
      expect((await infer(rig.url, headers)).status).toBe(403)
    }
    expect(rig.server.statistics('echo')[0]?.inferenceCount).toBe(before)
  })

  test('under a name that was made to point here are refused', async () => {
    const { status, body } = await getAs(rig.port, '/snapshot', { host: `evil.example:${rig.port}` })
    expect(status).toBe(403)
    expect(body).toContain("does not answer under the name in Host 'evil.example:")
    expect((await getAs(rig.port, '/snapshot', { host: `localhost:${rig.port}` })).status).toBe(200)
  })
})

describe('access', () => {
  const authorize = ({ header }: { header(name: string): string | undefined }): boolean =>
    header('authorization') === 'Bearer secret'

  test('the page is for everybody, what it shows and runs only for those with the key', async () => {
    await using rig = await dashboardRig(
      { 'echo/config.pbtxt': echoModel('FP32', '[2]'), 'echo/1/': '' },
      { authorize },
    )
    expect((await fetch(`${rig.url}/`)).status).toBe(200)
    const Authorization = 'Bearer secret'
    expect((await fetch(`${rig.url}/snapshot`)).status).toBe(401)
    expect((await fetch(`${rig.url}/snapshot`, { headers: { Authorization } })).status).toBe(200)
    expect((await infer(rig.url)).status).toBe(401)
    expect((await infer(rig.url, { Authorization })).status).toBe(200)
  })

  test('restrictions of the HTTP server hold for the form, and so does its limit', async () => {
    await using rig = await dashboardRig(
      { 'echo/config.pbtxt': echoModel('FP32', '[2]'), 'echo/1/': '' },
      { restrictedApis: [{ apis: ['model-config'], key: 'admin', value: 'x' }], maxInputSize: 50 },
    )
    expect((await fetch(`${rig.url}/v2/models/echo/config`)).status).toBe(403)
    expect((await infer(rig.url)).status).toBe(400)
  })
})

class FailingServer extends Server {
  readonly #error: Error

  constructor(error: Error) {
    super()
    this.#error = error
  }

  override snapshotInParts(): never {
    throw this.#error
  }
}

test.each([
  [new Error('private detail'), 500, 'internal error', ['the live page could not answer']],
  [new TritonError('UNAVAILABLE', 'Server not ready'), 503, 'Server not ready', []],
])('%s is answered with %i %j', async (error, status, message, expected) => {
  await using server = new FailingServer(error)
  const logged: string[] = []
  const logger = { ...silentLogger, error: (_: object, text: string) => logged.push(text) }
  await using http = await serveMetrics(server, { port: 0, fallback: createDashboard(server, { logger }) })
  const response = await fetch(`http://127.0.0.1:${http.port}/snapshot`)
  expect([response.status, await response.json()]).toEqual([status, { error: message }])
  expect(logged).toEqual(expected)
})
