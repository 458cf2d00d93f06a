import { errorCodes } from '@triton-ts/core'
import { describe, expect } from 'vitest'
import { PythonRig, pythonBackends } from './python-rig.ts'
import { collect, int32, textOf, valuesOf } from './values.ts'

const wait = { timeout: 5_000 }

describe.each(pythonBackends)('$name', ({ test }) => {
  test('decoupled: no, one or many responses, errors between, from threads', async ({ backend }) => {
    await using rig = await PythonRig.start(backend, ['streams'])
    const stream = async (...values: number[]) => {
      const received: unknown[] = []
      try {
        for await (const { VALUE } of rig.server.inferStream('streams', { VALUES: int32(...values) })) {
          received.push(...valuesOf(VALUE))
        }
      } catch (error) {
        received.push(String(error))
      }
      return received
    }
    expect(await stream()).toEqual([])
    expect(await stream(5)).toEqual([5])
    const many = Array.from({ length: 200 }, (_, i) => i)
    expect(await Promise.all([stream(...many), stream(...many), stream(7)])).toEqual([many, many, [7]])

    const inputs = [{ name: 'VALUES', tensor: int32(-1, 2, -3, 4) }]
    const each = (await collect(rig.server.model('streams').requestStream({ inputs }))).map(
      ({ outputs, error }) => error?.message ?? valuesOf(outputs.VALUE)[0],
    )
    expect(each).toEqual(['-1 is negative', 2, '-3 is negative', 4])

    // As the recorded Triton: its Python backend reports no statistics of single responses.
    const counted = { inferenceCount: 6, responseStats: {} }
    const statistics = () => rig.server.statistics('streams')[0]
    await expect.poll(statistics, wait).toMatchObject(counted)

    // The error ends the loop, which cancels the request. So it is counted as cancelled, or as a success where its end or
    // the backend's report came first; but once.
    expect(await stream(1, -2, 3)).toEqual([1, 'TritonError: -2 is negative'])
    expect(await stream(8)).toEqual([8])
    // A backend reports an execution after its request.
    await expect.poll(statistics, wait).toMatchObject({ executionCount: 8 })
    const { success, fail } = statistics()?.inferenceStats ?? {}
    expect((success?.count ?? 0) + (fail?.count ?? 0)).toBe(8)
  })

  test('errors, with their codes, and what Python raises', async ({ backend }) => {
    await using rig = await PythonRig.start(backend, ['fails'])
    const fail = (code: number) => rig.server.infer('fails', { CODE: int32(code) })
    for (const [number, code] of errorCodes.entries()) {
      await expect(fail(number)).rejects.toMatchObject({ code, message: `error with code ${code}` })
    }
    await expect(fail(-1)).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringMatching(
        /^Failed to process the request\(s\) for model 'fails_0', message: ValueError: raised on purpose\n\nAt:\n {2}.*model\.py\(\d+\): answer\n/,
      ),
    })
    await expect(fail(-2)).rejects.toThrow(
      'Number of InferenceResponse objects do not match the number of InferenceRequest objects.',
    )
    expect(valuesOf((await fail(9)).OUT)).toEqual([9])
    // As in tritonserver: to the Python backend a response that is an error is a success.
    const counted = { success: { count: 9 }, fail: { count: 2 } }
    await expect.poll(() => rig.server.statistics('fails')[0]?.inferenceStats, wait).toMatchObject(counted)
  })

  test("a stub that dies takes NVIDIA's model with it, until it is loaded again; ours starts another one", async ({
    backend,
  }) => {
    await using rig = await PythonRig.start(backend, ['fails'])
    const infer = (code: number) => rig.server.infer('fails', { CODE: int32(code) })
    await expect(infer(-3)).rejects.toThrow("Stub process 'fails_0' is not healthy.")
    if (!backend.isOurs) {
      await expect(infer(9)).rejects.toThrow("Stub process 'fails_0' is not healthy.")
      await rig.server.unload('fails')
      await rig.server.load('fails')
    }
    expect(valuesOf((await infer(9)).OUT)).toEqual([9])
  })

  test('Python hears that its caller has given up', async ({ backend }) => {
    await using rig = await PythonRig.start(backend, ['waits'])
    const abort = new AbortController()
    const stream = rig.server.model('waits').inferStream({ IN: int32(0) }, { signal: abort.signal })
    expect(textOf((await stream.next()).value?.OUT)).toBe('started')
    abort.abort()
    await expect(stream.next()).rejects.toMatchObject({ code: 'CANCELLED' })
    const heard = () => rig.log.some(({ text }) => text.includes('the caller has given up'))
    await expect.poll(heard, wait).toBe(true)
  })
})
