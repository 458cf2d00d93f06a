import { setImmediate } from 'node:timers/promises'
import { Tensor, TritonError } from '@triton-ts/core'
import { describe, expect, test } from 'vitest'
import { Caller } from '../fixtures/caller.ts'
import { testServer } from '../fixtures/test-server.ts'

const int32 = (value: number): Uint8Array => new Uint8Array(Int32Array.of(value).buffer)
const outputs = (value: number): { readonly outputs: { readonly OUT: Tensor } } => ({
  outputs: { OUT: Tensor.of('INT32', [1], Int32Array.of(value)) },
})

const request = (model_name: string, id: string, parameters: object = {}): object => ({
  model_name,
  id,
  parameters,
  inputs: [{ name: 'IN', datatype: 'INT32', shape: [1] }],
  raw_input_contents: [int32(1)],
})

const wantsEmpty = { triton_enable_empty_final_response: { bool_param: true } }

interface Streamed {
  readonly error_message: string
  readonly infer_response: {
    readonly id: string
    readonly model_name: string
    readonly parameters: { readonly triton_final_response?: { readonly bool_param: boolean } }
    readonly raw_output_contents: Uint8Array[]
  }
}

/** `r1: 5` for a response, `r1: 5.` for the last one, `r1! text` for an error. */
function told({ error_message, infer_response: { id, parameters, raw_output_contents } }: Streamed): string {
  const values = raw_output_contents.map((bytes) => Buffer.from(bytes).readInt32LE())
  const mark = error_message === '' ? `: ${values}` : `! ${error_message}`
  return `${id}${mark}${parameters.triton_final_response?.bool_param ? '.' : ''}`
}

describe('a stream', () => {
  test('answers requests to models that are not decoupled in their order', async () => {
    await using fixture = await testServer()
    const stream = new Caller(fixture.server).stream('ModelStreamInfer')
    stream.request(request('manual', 'a'), request('manual', 'b'), request('int32', 'c'), request('nope', 'd')).end()
    const first = await fixture.manual.next()
    const second = await fixture.manual.next()
    second.requests[0]?.respond(outputs(2))
    second.finish()
    expect(stream.unread).toBe(0)
    first.requests[0]?.respond(outputs(1))
    first.finish()
    expect((await stream.all()).map(told)).toEqual([
      'a: 1.',
      'b: 2.',
      'c: 1.',
      "d! Request for unknown model: 'nope' is not found",
    ])
  })

  test('sends responses of decoupled models as they come', async () => {
    await using fixture = await testServer()
    const stream = new Caller(fixture.server).stream('ModelStreamInfer')
    stream.request(request('manual', 'm'), request('stream', 'a'), request('stream', 'b', wantsEmpty)).end()
    const manual = await fixture.manual.next()
    const [a, b] = [await fixture.manual.next(), await fixture.manual.next()]
    b.requests[0]?.respond(outputs(1), { final: false })
    a.requests[0]?.respond(outputs(2), { final: false })
    b.requests[0]?.respond(outputs(3), { final: false })
    b.requests[0]?.end()
    a.requests[0]?.respond(outputs(4))
    manual.requests[0]?.respond(outputs(5))
    for (const execution of [manual, a, b]) execution.finish()
    const all = (await stream.all()) as Streamed[]
    expect(all.map(told)).toEqual(['b: 1', 'a: 2', 'b: 3', 'b: .', 'a: 4.', 'm: 5.'])
    expect(all[3]?.infer_response).toMatchObject({ model_name: 'stream', model_version: '', outputs: [] })
  })

  test('drops the end of a decoupled model that is no response, unless it is asked for', async () => {
    await using fixture = await testServer()
    const stream = new Caller(fixture.server).stream('ModelStreamInfer')
    stream.request(request('stream', 'a')).end()
    const { requests, finish } = await fixture.manual.next()
    requests[0]?.end()
    finish()
    expect(await stream.all()).toEqual([])
  })

  test('tells errors in its responses and goes on', async () => {
    await using fixture = await testServer()
    const stream = new Caller(fixture.server).stream('ModelStreamInfer')
    stream.request({ ...request('int32', 'bad'), inputs: [] }, request('manual', 'a'), request('stream', 'b')).end()
    const [a, b] = [await fixture.manual.next(), await fixture.manual.next()]
    a.requests[0]?.fail(new TritonError('NOT_FOUND', 'nothing'))
    b.requests[0]?.fail(new TritonError('INTERNAL', 'this one'), { final: false })
    b.requests[0]?.respond(outputs(1))
    a.finish()
    b.finish()
    const all = (await stream.all()) as Streamed[]
    expect(all.map(told)).toEqual([
      expect.stringContaining('bad! [request id: bad] '),
      'a! nothing.',
      'b! this one',
      'b: 1.',
    ])
    expect(all[0]?.infer_response).toMatchObject({ model_name: '', parameters: {} })
    expect(all[1]?.infer_response).toMatchObject({ model_name: 'manual', model_version: '' })
  })

  test('ends with the first error of a model where that is asked for, and gives up the rest', async () => {
    await using fixture = await testServer()
    const stream = new Caller(fixture.server).stream('ModelStreamInfer', { metadata: { triton_grpc_error: 'true' } })
    stream.request(request('nope', 'n'), request('manual', 'a'), request('stream', 'b'))
    expect(told(await stream.next())).toContain('n! Request for unknown model')
    const [a, b] = [await fixture.manual.next(), await fixture.manual.next()]
    b.requests[0]?.respond(outputs(1), { final: false })
    b.requests[0]?.fail(new TritonError('UNAVAILABLE', 'not now'))
    expect(await stream.ended).toMatchObject({ code: 'UNAVAILABLE', message: 'not now' })
    expect(told(await stream.next())).toBe('b: 1')
    expect(a.requests[0]?.signal.aborted).toBe(true)
    a.finish()
    b.finish()
  })

  test('without requests ends with OK', async () => {
    await using fixture = await testServer()
    expect(await new Caller(fixture.server).stream('ModelStreamInfer').all()).toEqual([])
  })

  test('ends with INTERNAL at bytes that are no request, once the requests before them are answered', async () => {
    await using fixture = await testServer()
    const stream = new Caller(fixture.server).stream('ModelStreamInfer')
    stream.request(request('manual', 'a')).requestBytes(Buffer.from('ff', 'hex')).request(request('manual', 'b'))
    const { requests, finish } = await fixture.manual.next()
    await setImmediate()
    requests[0]?.respond(outputs(1))
    finish()
    expect(await stream.ended).toMatchObject({ status: 'INTERNAL', message: 'Unable to parse request' })
    expect(told(await stream.next())).toBe('a: 1.')
    expect([stream.taken, stream.unread]).toEqual([2, 0])
  })

  test('is given up with all its requests when the client cancels', async () => {
    await using fixture = await testServer()
    const stream = new Caller(fixture.server).stream('ModelStreamInfer')
    stream.request(request('manual', 'a'), request('stream', 'b'))
    const executions = [await fixture.manual.next(), await fixture.manual.next()]
    stream.cancel()
    expect(await stream.ended).toMatchObject({ status: 'CANCELLED' })
    expect(executions.map(({ requests }) => requests[0]?.signal.aborted)).toEqual([true, true])
    for (const { finish } of executions) finish()
  })

  test('holds decoupled models while the client does not read', async () => {
    await using fixture = await testServer()
    const stream = new Caller(fixture.server).stream('ModelStreamInfer').request(request('stream', 'a'))
    const { requests, finish } = await fixture.manual.next()
    expect(requests[0]?.room()).toBeUndefined()
    stream.block()
    const room = requests[0]?.room()
    expect(room).toBeInstanceOf(Promise)
    stream.request(request('stream', 'b'), request('stream', 'c'))
    stream.unblock()
    await room
    requests[0]?.end()
    finish()
    for (const { requests, finish } of [await fixture.manual.next(), await fixture.manual.next()]) {
      requests[0]?.end()
      finish()
    }
    await stream.all()
    expect(stream.taken).toBe(3)
  })

  test('does not take a request while the client does not read', async () => {
    await using fixture = await testServer()
    const stream = new Caller(fixture.server).stream('ModelStreamInfer')
    stream.block()
    stream.request(request('int32', 'a'), request('int32', 'b')).end()
    expect(told(await stream.next())).toBe('a: 1.')
    expect(stream.taken).toBe(1)
    stream.unblock()
    expect((await stream.all()).map(told)).toEqual(['b: 1.'])
  })

  test('takes no more than 1024 requests at a time', async () => {
    await using fixture = await testServer()
    const stream = new Caller(fixture.server).stream('ModelStreamInfer')
    stream.request(...Array.from({ length: 1100 }, (_, i) => request('manual', `${i}`))).end()
    for (let i = 0; i < 1100; i++) {
      const { requests, finish } = await fixture.manual.next()
      if (i === 0) await expect.poll(() => stream.taken).toBe(1024)
      requests[0]?.respond(outputs(i))
      finish()
    }
    expect((await stream.all()).map(told)).toEqual(Array.from({ length: 1100 }, (_, i) => `${i}: ${i}.`))
  })
})
