import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fetchHandler } from '../fetch.ts'
import { errorOf } from '../test-client.ts'
import { type GenerateServer, generateServer } from './test-models.ts'

let fixture: GenerateServer
let handle: (request: Request) => Promise<Response>

beforeAll(async () => {
  fixture = await generateServer()
  handle = fetchHandler(fixture.server)
})
afterAll(() => fixture[Symbol.asyncDispose]())

const post = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  handle(new Request(`http://host/v2/models/${path}`, { method: 'POST', body, headers }))
const generate = async (model: string, body: object): Promise<string> =>
  (await post(`${model}/generate`, JSON.stringify(body))).text()
const stream = (model: string, body: object): Promise<Response> =>
  post(`${model}/generate_stream`, JSON.stringify(body))

const type = (response: Response): string | null => response.headers.get('content-type')
const letter = (value: string): string => `{"LETTER":"${value}","model_name":"letters","model_version":"1"}`
const error = (text: string): string => JSON.stringify({ error: text })
const events = (...texts: readonly string[]): string => texts.map((text) => `data: ${text}\n\n`).join('')

describe('values of inputs', () => {
  test.each([
    ['bool', [true, false]],
    ['bool', true],
    ['uint8', [0, 255]],
    ['uint8', 7],
    ['int8', [-128, 127]],
    ['int8', -128],
    ['int16', -5],
    ['fp32', [0.5, 2]],
    ['fp32', 0.5],
    ['fp64', [0.1, 1e300]],
    ['fp64', 0.1],
    ['string', ['a', '', 'é"\n']],
    ['string', '日本'],
  ])('%s: %j comes back', async (model, value) => {
    expect(JSON.parse(await generate(model, { IN: value }))).toEqual({
      OUT: value,
      model_name: model,
      model_version: '1',
    })
  })

  test.each([
    ['int64', '-9223372036854775808'],
    ['int64', '[9007199254740993,1]'],
    ['uint64', '18446744073709551615'],
  ])('%s: %s is exact', async (model, value) => {
    const answer = await post(`${model}/generate`, `{"IN": ${value}}`)
    expect(await answer.text()).toBe(`{"OUT":${value},"model_name":"${model}","model_version":"1"}`)
  })

  test.each([
    ['int8', 300, 44],
    ['uint8', 4294967297, 1],
    ['int8', [300, 1], [44, 1]],
  ])('%s: %j is cast like an integer of C', async (model, value, cast) => {
    expect(JSON.parse(await generate(model, { IN: value }))).toMatchObject({ OUT: cast })
  })

  test('the last dimension of any size takes what fixed ones leave, the batch dimension is one', async () => {
    const { server } = fixture
    const answer = await generate('matrix', { IN: [1, 2, 3, 4, 5, 6] })
    expect(JSON.parse(answer)).toMatchObject({ OUT: [1, 2, 3, 4, 5, 6] })
    expect(server.statistics('matrix')[0]).toMatchObject({ inferenceCount: 1 })
    expect(await errorOf(post('matrix/generate', '{"IN": [1, 2]}'))).toEqual([
      400,
      "The schema can not convert input 'IN' to tensor with proper shape",
    ])
  })
})

describe('parameters', () => {
  test('every other member is a parameter, beside and in `parameters`', async () => {
    const body = '{"s": "t", "i": -3, "d": 1.5, "b": true, "parameters": {"n": 1, "IN": 4}, "sequence_id": 7}'
    expect(await (await post('parameters/generate', body)).text()).toBe(
      '{"b":true,"d":1.5,"i":-3,"id":"IN 4","model_name":"parameters","model_version":"1","n":1,"s":"t","sequence_id":7}',
    )
  })

  test('id is the request’s id and a parameter, and wins over an output of that name', async () => {
    expect(await generate('parameters', { id: 'x' })).toBe('{"id":"x","model_name":"parameters","model_version":"1"}')
  })

  test('of two members of one name the first counts', async () => {
    const answer = await post('parameters/generate', '{"a": 1, "a": 2, "IN": 5, "parameters": {"a": 3}}')
    expect(await answer.json()).toMatchObject({ a: 3, id: 'IN 5' })
  })
})

describe('generate', () => {
  test('answers the one response, whether the model is decoupled or not', async () => {
    const response = await post('letters/generate', '{"TEXT": "a"}')
    expect([response.status, type(response), await response.text()]).toEqual([200, 'application/json', letter('a')])
    const version = await post('letters/versions/1/generate', '{"TEXT": "b"}')
    expect(await version.text()).toBe(letter('b'))
  })

  const notOne =
    'generate expects model to produce exactly 1 response, use generate stream for model that generates various number of responses'

  test.each([
    ['two', 'ab', 200],
    ['none', '', 200],
    ['a failure in front', 'Ea', 400],
    ['a failure at the end', 'a!', 200],
  ])('of other numbers of responses, %s, the first decides the status', async (_, text, status) => {
    expect(await errorOf(post('letters/generate', JSON.stringify({ TEXT: text })))).toEqual([status, notOne])
  })

  test.each([
    ['E', 'no such letter'],
    ['!', 'the request failed'],
  ])('an error of the model, %j, is a 400 whatever its code', async (text, message) => {
    const response = await post('letters/generate', JSON.stringify({ TEXT: text }))
    expect(type(response)).toBe('application/json')
    expect(await errorOf(response)).toEqual([400, message])
  })

  test('an output without elements is an empty array', async () => {
    const response = await post('nothing/generate', '{"TEXT": "a"}')
    expect(await response.text()).toBe('{"LETTER":[],"model_name":"nothing","model_version":"1"}')
  })

  test('an input without a JSON form is an error', async () => {
    expect(await errorOf(post('fp16/generate', '{"IN": 1}'))).toEqual([
      400,
      'receiving FP16 data via JSON is not supported. Please use the binary data format for input IN',
    ])
  })
})

describe('generate_stream', () => {
  test('sends an event for each response', async () => {
    const response = await stream('letters', { TEXT: 'aé' })
    expect([response.status, type(response)]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(response.headers.get('content-length')).toBeNull()
    expect(await response.text()).toBe(events(letter('a'), letter('é')))
  })

  test.each([
    ['no response', '', 200, []],
    ['an error in the middle, which does not end it', 'aEb', 200, [letter('a'), error('no such letter'), letter('b')]],
    ['an error at first, which decides the status', 'Eb', 400, [error('no such letter'), letter('b')]],
    ['an error that ends it', 'a!b', 200, [letter('a'), error('the request failed')]],
    ['nothing but an error', '!', 400, [error('the request failed')]],
  ])('%s', async (_, text, status, expected) => {
    const response = await stream('letters', { TEXT: text })
    expect([response.status, type(response)]).toEqual([status, 'text/event-stream; charset=utf-8'])
    expect(await response.text()).toBe(events(...expected))
  })

  test('an output without a JSON form is an error in the place of its response', async () => {
    const response = await stream('half', { TEXT: 'a' })
    expect(response.status).toBe(400)
    const sending = 'sending FP16 data via JSON is not supported. Please use the binary data format for output'
    expect(await response.text()).toBe(events(error(sending), '{"LETTER":"a","model_name":"half","model_version":"1"}'))
  })

  test('a model with one response', async () => {
    const response = await stream('fp32', { IN: [1, 2], id: 'me' })
    expect(await response.text()).toBe(events('{"OUT":[1.0,2.0],"id":"me","model_name":"fp32","model_version":"1"}'))
  })

  test('is not compressed, has no headers as parameters and none of the load metrics', async () => {
    const forwarding = fetchHandler(fixture.server, { headerForwardPattern: '.*' })
    const headers = { 'Accept-Encoding': 'gzip', 'endpoint-load-metrics-format': 'json', 'X-Own': '1' }
    for (const path of ['generate', 'generate_stream']) {
      const url = `http://host/v2/models/parameters/${path}`
      const response = await forwarding(new Request(url, { method: 'POST', body: '{"IN": 3}', headers }))
      expect([...response.headers.keys()].sort()).not.toContain('content-encoding')
      expect(response.headers.get('endpoint-load-metrics')).toBeNull()
      expect(await response.text()).toContain('{"id":"IN 3","model_name":"parameters","model_version":"1"}')
    }
  })
})
