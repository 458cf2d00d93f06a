import { describe, expect, test } from 'vitest'
import { answer, config, input, started, withManual } from '../fixtures/server-rig.ts'
import { type Logger, silentLogger } from '../index.ts'

describe('the report of an unload', () => {
  test('comes at once, and says what went out of service', async () => {
    const { server, backend } = await withManual('', { modelControl: 'explicit', loadModels: ['m'] })
    const running = server.infer('m', input())
    const { requests, finish } = await backend.next()
    const report = await server.unload('m')
    expect(report).toEqual({ versions: [{ name: 'm', version: 1 }], rssBefore: expect.any(Number) })
    expect(report.rssBefore).toBeGreaterThan(1e6)
    requests[0]?.respond(answer)
    finish()
    await running
    expect(await server.unload('m')).toMatchObject({ versions: [] })
    expect(await server.unload('nobody', { waitUntilUnloaded: true })).toMatchObject({ versions: [] })
  })

  test('can wait until everything was given back', async () => {
    const { server, backend } = await withManual('', { modelControl: 'explicit', loadModels: ['m'] })
    const running = server.infer('m', input())
    const { requests, finish } = await backend.next()
    let isOver = false
    const unloading = server.unload('m', { waitUntilUnloaded: true }).finally(() => {
      isOver = true
    })
    // A second one has nothing to wait for.
    await server.unload('m', { waitUntilUnloaded: true })
    expect(isOver).toBe(false)
    requests[0]?.respond(answer)
    finish()
    await running
    const report = await unloading
    expect(backend.log.at(-1)).toBe('dispose m 1')
    expect(report).toMatchObject({ versions: [{ name: 'm', version: 1 }], rssAfter: expect.any(Number) })
  })

  test('has the steps that go along with an ensemble', async () => {
    const files = {
      'a/config.pbtxt': config(),
      'a/1/': '',
      'e/config.pbtxt': `platform: "ensemble" max_batch_size: 4
        input { name: "IN" data_type: TYPE_FP32 dims: 2 } output { name: "OUT" data_type: TYPE_FP32 dims: 2 }
        ensemble_scheduling { step { model_name: "a" model_version: -1
          input_map { key: "IN" value: "IN" } output_map { key: "OUT" value: "OUT" } } }`,
      'e/1/': '',
    }
    const server = await started(files, { modelControl: 'explicit', loadModels: ['e'] })
    const { versions } = await server.unload('e', { unloadDependents: true, waitUntilUnloaded: true })
    expect(versions.map(({ name }) => name)).toEqual(['e', 'a'])
  })

  test('a wait that is given up ends, the unload goes on', async () => {
    const { server, backend } = await withManual('', { modelControl: 'explicit', loadModels: ['m'] })
    const running = server.infer('m', input())
    const { requests, finish } = await backend.next()
    const abort = new AbortController()
    const unloading = server.unload('m', { waitUntilUnloaded: true, signal: abort.signal })
    abort.abort()
    await expect(unloading).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(server.infer('m', input())).rejects.toMatchObject({ code: 'NOT_FOUND' })
    requests[0]?.respond(answer)
    finish()
    await running
    await server.stop()
    expect(backend.log.at(-1)).toBe('dispose m 1')
  })
})

test('the log tells the memory of the process when a version is gone', async () => {
  const lines: string[] = []
  const logger: Logger = { ...silentLogger, info: (_, text) => lines.push(text) }
  const { server } = await withManual('', { modelControl: 'explicit', loadModels: ['m'], logger })
  await server.unload('m', { waitUntilUnloaded: true })
  expect(lines.at(-1)).toMatch(/^model 'm' version 1 is gone: RSS [\d.]+ MB -> [\d.]+ MB$/)
})
