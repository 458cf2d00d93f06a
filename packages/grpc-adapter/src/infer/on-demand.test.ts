import { describe, expect, test } from 'vitest'
import { Caller } from '../fixtures/caller.ts'
import { testServer } from '../fixtures/test-server.ts'

const request = (model_name: string): object => ({
  model_name,
  inputs: [{ name: 'IN', datatype: 'INT32', shape: [1], contents: { int_contents: [7] } }],
})

describe('a model on demand', () => {
  test('is loaded for a request, and for what asks about it', async () => {
    await using fixture = await testServer({ modelControl: 'on-demand' })
    const caller = new Caller(fixture.server)
    expect(await caller.unary('ModelReady', { name: 'int32' })).toEqual({ ready: true })
    expect((await caller.unary('RepositoryIndex', { ready: true })).models).toEqual([])
    expect(await caller.unary('ModelInfer', request('int32'))).toMatchObject({ model_name: 'int32' })
    expect(await caller.unary('ModelConfig', { name: 'fp32' })).toMatchObject({ config: { name: 'fp32' } })
    await expect(caller.unary('ModelInfer', request('stream'))).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    await expect(caller.unary('ModelInfer', request('nope'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('is loaded for a request of a stream, and keeps its place among others', async () => {
    await using fixture = await testServer({ modelControl: 'on-demand' })
    const stream = new Caller(fixture.server).stream('ModelStreamInfer')
    stream.request(request('int32'), request('stream'), request('nope'), request('int32')).end()
    const { requests, finish } = await fixture.manual.next()
    requests[0]?.end()
    finish()
    const all = await stream.all()
    expect(all.map(({ error_message, infer_response }) => error_message || infer_response.model_name)).toEqual([
      'int32',
      "Request for unknown model: 'nope' is not found",
      'int32',
    ])
  })
})
