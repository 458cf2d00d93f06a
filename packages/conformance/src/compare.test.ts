import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { compareAnswer, sameJson } from './compare.ts'
import { type Case, type RecordedResponse, readCorpus } from './corpus.ts'
import { parseLenientJson } from './lenient-json.ts'
import type { RawResponse } from './raw-http.ts'

const recorded = (compare: Case['compare'], response: RecordedResponse): Case => ({
  id: 'phase/area.case',
  area: 'area',
  phase: 'phase',
  compare,
  request: { method: 'GET', path: '/', headers: {} },
  response: { headers: { 'content-type': 'application/json' }, ...response },
})

const answer = (status: number, body: string | Buffer, headers: Record<string, string> = {}): RawResponse => ({
  status,
  body: Buffer.from(body),
  headers: new Map(Object.entries({ 'content-type': 'application/json', ...headers })),
})

const compare = (entry: Case, got: RawResponse) => compareAnswer(entry, got, '/models')

describe('sameJson', () => {
  const same = (a: string, b: string, anyOrder = false) =>
    sameJson(parseLenientJson(a)!, parseLenientJson(b)!, anyOrder)

  test('compares numbers by value', () => {
    expect(same('[1, 2.0, NaN]', '[1.0, 2, NaN]')).toBe(true)
    expect(same('0.1000000001', '0.1')).toBe(true)
    expect(same('0.1001', '0.1')).toBe(false)
    expect(same('Infinity', '1.5')).toBe(false)
    expect(same('9007199254740993', '9007199254740992')).toBe(false)
    expect(same('1', 'true')).toBe(false)
    expect(same('1', '"1"')).toBe(false)
  })

  test('frees the order of keys, and of named entries where asked', () => {
    expect(same('{"a":1,"b":2}', '{"b":2,"a":1}')).toBe(true)
    expect(same('{"a":1}', '{"a":1,"b":2}')).toBe(false)
    expect(same('{"a":1}', '{"b":1}')).toBe(false)
    expect(same('[{"name":"x"},{"name":"y"}]', '[{"name":"y"},{"name":"x"}]')).toBe(false)
    expect(same('[{"name":"x"},{"name":"y"}]', '[{"name":"y"},{"name":"x"}]', true)).toBe(true)
    expect(same('[1,2]', '[2,1]', true)).toBe(false)
  })

  test('lets server metadata have another version and more extensions', () => {
    const recordedMetadata = '{"name":"triton","version":"2.51.0","extensions":["a"]}'
    expect(same('{"name":"triton","version":"0.1.0","extensions":["b","a"]}', recordedMetadata)).toBe(true)
    expect(same('{"name":"triton","version":"0.1.0","extensions":["b"]}', recordedMetadata)).toBe(false)
  })
})

describe('compareAnswer', () => {
  test('compares status, type and body', () => {
    const entry = recorded('exact', { status: 200, body_text: '{"a":1}' })
    expect(compare(entry, answer(200, '{ "a": 1.0 }'))).toBeUndefined()
    expect(compare(entry, answer(400, '{"a":1}'))).toMatch('status 400, want 200')
    expect(compare(entry, answer(200, '{"a":2}'))).toMatch('body {"a":2}, want {"a":1}')
    expect(compare(entry, answer(200, '{"a":1}', { 'content-type': 'text/plain' }))).toMatch('content-type text/plain')
    expect(compare(entry, answer(200, '{"a":1}', { 'content-encoding': 'gzip' }))).toMatch('content-encoding gzip')
  })

  test('looks at what the rule names alone', () => {
    expect(compare(recorded('none', { status: 200 }), answer(500, ''))).toBeUndefined()
    expect(compare(recorded('exact', { server_died: -11 }), answer(400, ''))).toBeUndefined()
    expect(compare(recorded('status', { status: 400, body_text: 'x' }), answer(400, 'y'))).toBeUndefined()
    const prefix = recorded('prefix', { status: 400, body_text: '{"error":"failed to run: one"}' })
    expect(compare(prefix, answer(400, '{"error":"failed to run: two"}'))).toBeUndefined()
    expect(compare(prefix, answer(400, '{"error":"failed to load: one"}'))).toBeDefined()
  })

  test('leaves out times and the place of the repository', () => {
    const body = `{"ns":0,"last_inference":0,"error":"no \${REPO}/a"}`
    const entry = recorded('exact', { status: 200, body_text: body })
    expect(compare(entry, answer(200, '{"ns":17,"last_inference": 99,"error":"no /models/a"}'))).toBeUndefined()
  })

  test('compares plain text but for the space around it', () => {
    const entry = recorded('exact', { status: 200, body_text: 'data: [\n' })
    expect(compare(entry, answer(200, 'data: ['))).toBeUndefined()
    expect(compare(entry, answer(200, 'data: ]'))).toBeDefined()
  })

  test('compares JSON header and binary part of an answer with binary tensors', () => {
    const entry = recorded('exact', { status: 200, json_text: '{"a":1}', binary_b64: 'AAEC', headers: {} })
    const body = Buffer.concat([Buffer.from('{"a":1}'), Buffer.from([0, 1, 2])])
    expect(compare(entry, answer(200, body, { 'inference-header-content-length': '7' }))).toBeUndefined()
    expect(compare(entry, answer(200, body))).toBe('no Inference-Header-Content-Length')
    const longer = Buffer.concat([body, Buffer.from([3])])
    expect(compare(entry, answer(200, longer, { 'inference-header-content-length': '7' }))).toMatch('binary part')
  })

  test('frees the order of the outputs of an ensemble', () => {
    const entry = recorded('exact', { status: 200, body_text: '{"outputs":[{"name":"b"},{"name":"a"}]}' })
    const got = answer(200, '{"outputs":[{"name":"a"},{"name":"b"}]}')
    expect(compare(entry, got)).toMatch('body ')
    expect(compare({ ...entry, note: 'ensembles list outputs in hash order' }, got)).toBeUndefined()
  })

  test.each([
    ['gzip', gzipSync('{"a":1}')],
    ['deflate', deflateSync('{"a":1}')],
  ] as const)('decodes %s', (decoded, body) => {
    const entry = recorded('exact', { status: 200, decoded, body_text: '{"a":1}' })
    expect(compare(entry, answer(200, body, { 'content-encoding': decoded }))).toBeUndefined()
    expect(compare(entry, answer(200, '{"a":1}'))).toMatch('content-encoding identity')
  })
})

describe('the corpus', () => {
  const { cases } = readCorpus()

  test('agrees with itself', () => {
    const differences = cases.map((entry) => compare(entry, replayed(entry.response)))
    expect(differences.filter((difference) => difference !== undefined)).toEqual([])
  })

  test('tells other answers apart', () => {
    const judged = cases.filter(({ compare, response }) => compare !== 'none' && response.server_died === undefined)
    const unnoticed = judged.filter((entry) => compare(entry, answer(418, '')) === undefined)
    expect(unnoticed).toEqual([])
  })
})

/** What a server that answers exactly as recorded sends. */
function replayed({ status = 0, headers = {}, decoded, ...response }: RecordedResponse): RawResponse {
  const { json_text, binary_b64 = '', body_b64, body_text = '' } = response
  const parts =
    json_text !== undefined
      ? [Buffer.from(json_text), Buffer.from(binary_b64, 'base64')]
      : [body_b64 !== undefined ? Buffer.from(body_b64, 'base64') : Buffer.from(body_text)]
  const body = Buffer.concat(parts)
  const extra: Record<string, string> = decoded ? { 'content-encoding': decoded } : {}
  if (json_text !== undefined) extra['inference-header-content-length'] = String(Buffer.byteLength(json_text))
  const encoded = decoded === 'gzip' ? gzipSync(body) : decoded === 'deflate' ? deflateSync(body) : body
  return answer(status, encoded, { ...headers, ...extra })
}
