import { describe, expect } from 'vitest'
import { PythonRig, pythonBackends } from './python-rig.ts'
import { ask } from './values.ts'

describe.each(pythonBackends)('$name', ({ test }) => {
  test('Python asks models of other backends and of its own, one by one, at once, and in streams', async ({
    backend,
  }) => {
    await using rig = await PythonRig.start(backend, ['asks', 'typescript', 'streams', 'fails'])
    expect(await ask(rig.server, 'sync', 'typescript', 1, 2)).toEqual([1, 2])
    expect(await ask(rig.server, 'async', 'typescript', 1, 2, 3)).toEqual([[1], [2], [3]])
    expect(await ask(rig.server, 'stream', 'streams', 4, 5)).toEqual([[4], [5], null])
    expect(await ask(rig.server, 'async_stream', 'streams', 4, 5)).toEqual([[4], [5], null])
    expect(await ask(rig.server, 'stream', 'streams')).toEqual([null])
    const failed = { error: '-2 is negative', code: 1 }
    // NVIDIA's can neither go on after an error that is the first response nor tell of a later one.
    const whole = backend.isOurs ? [failed, [5], null] : [failed]
    expect(await ask(rig.server, 'stream', 'streams', -2, 5)).toEqual(whole)
    if (backend.isOurs) expect(await ask(rig.server, 'stream', 'streams', 4, -2)).toEqual([[4], failed, null])
  })

  test('what a request of Python carries, and its errors', async ({ backend }) => {
    await using rig = await PythonRig.start(backend, ['asks', 'fails', 'streams', 'tells'])
    const [told] = (await ask(rig.server, 'sync', 'tells', 0)) as string[]
    expect(JSON.parse(told ?? '')).toMatchObject({
      id: 'asked',
      parameters: { whole: 1, yes: true, text: 't' },
      correlation_id: 7,
      flags: 1,
      timeout: 5_000_000,
      outputs: ['OUT'],
    })
    expect(await ask(rig.server, 'sync', 'fails', 1)).toEqual({
      error: "unexpected inference input 'IN' for model 'fails'",
      code: 1,
    })
    expect(await ask(rig.server, 'sync', 'nobody', 1)).toMatchObject({
      error: expect.stringContaining("Model 'nobody' is not ready."),
    })
    expect(await ask(rig.server, 'async', 'streams', 1)).toEqual([
      { error: expect.stringContaining('Model streams is using the decoupled.'), code: 1 },
    ])
  })

  test('Python loads and unloads models', async ({ backend }) => {
    await using rig = await PythonRig.start(backend, ['asks'])
    expect(await ask(rig.server, 'ready', 'typescript')).toBe(false)
    expect(await ask(rig.server, 'load', 'typescript')).toBe(true)
    expect(await ask(rig.server, 'sync', 'typescript', 1)).toEqual([1])
    expect(await ask(rig.server, 'unload', 'typescript')).toBe(false)
    // Not a load that fails: this release of the Python backend aborts the process then, in tritonserver too, at times.
  })
})
