import type { UniversalRequest } from '@triton-ts/http-adapter'
import { expect, test } from 'vitest'
import { foreignRequest } from './request-origin.ts'

const request = (method: string, path: string, headers: Readonly<Record<string, string>>): UniversalRequest => ({
  method,
  path,
  header: (name) => headers[name],
  headers: () => Object.entries(headers),
  contentLength: 0,
  body: async () => new Uint8Array(),
  peer: '127.0.0.1',
  signal: undefined,
})

const json = { 'content-type': 'application/json' }
const refusal = (method: string, headers: Readonly<Record<string, string>>, path = '/v2/models/m/infer') =>
  foreignRequest(request(method, path, headers), new Set(['triton.example.com']))

test.each(['127.0.0.1:8002', '[::1]:8002', '10.1.2.3', 'localhost:8002', 'page.localhost', 'Triton.Example.com.:8002'])(
  'a browser may open the page at %s',
  (host) => {
    expect(refusal('GET', { host }, '/')).toBeUndefined()
  },
)

test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'a@127.0.0.1', 'x/127.0.0.1', ''])(
  'a request for the host %j is refused, since somebody else may own that name',
  (host) => {
    expect(refusal('GET', { host }, '/')).toContain('use an IP address, or allow the name')
  },
)

test('a request of the page itself is answered', () => {
  const host = '127.0.0.1:8002'
  expect(refusal('POST', { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin', ...json })).toBeUndefined()
  expect(refusal('POST', { host, origin: `http://${host}`, ...json })).toBeUndefined()
  expect(refusal('POST', { 'content-type': 'application/octet-stream' })).toBeUndefined()
})

test('a request from behind a proxy is answered where the name is allowed', () => {
  const proxied = { host: '10.0.0.7:8002', ...json }
  expect(refusal('POST', { ...proxied, origin: 'https://triton.example.com' })).toBeUndefined()
  expect(refusal('POST', { ...proxied, origin: 'https://other.example.com' })).toBeDefined()
})

test.each([
  ['another site', { origin: 'https://evil.example' }],
  ['another port', { origin: 'http://127.0.0.1:3000' }],
  ['a file or a sandbox', { origin: 'null' }],
  ['another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
  ['a neighbour, as the browser says', { 'sec-fetch-site': 'same-site' }],
])('a request of %s is refused', (_, headers) => {
  const host = '127.0.0.1:8002'
  expect(refusal('POST', { host, ...json, ...headers })).toBe('the live page answers no requests of other sites')
  expect(refusal('GET', { host, ...headers }, '/snapshot')).toBe('the live page answers no requests of other sites')
})

test.each([{}, { 'content-type': 'text/plain' }, { 'content-type': 'application/x-www-form-urlencoded' }])(
  'a body of %j is refused: a form of any site can send it',
  (headers) => {
    expect(refusal('POST', { host: 'localhost', ...headers })).toContain("must be 'application/json'")
  },
)

test('another site may link to the page', () => {
  expect(refusal('GET', { host: 'localhost', 'sec-fetch-site': 'cross-site' }, '/')).toBeUndefined()
})
