import { tensor } from '@triton-ts/core'
import { describe, expect } from 'vitest'
import { isAlive } from './process-lock.ts'
import { PythonRig, pythonBackends } from './python-rig.ts'
import { stubsOf } from './stubs.ts'
import { collect, int32, textOf } from './values.ts'

const wait = { timeout: 5_000 }

describe.each(pythonBackends)('$name', ({ test }) => {
  test('a model completes its own configuration', async ({ backend }) => {
    await using rig = await PythonRig.start(backend, ['completes'], { disableAutoComplete: false })
    expect(rig.server.model('completes').configJson()).toMatchObject({
      max_batch_size: 16,
      input: [{ name: 'IN', data_type: 'TYPE_FP32', dims: [3] }],
      output: [{ name: 'OUT', data_type: 'TYPE_FP32', dims: [3] }],
      dynamic_batching: {},
    })
    const { OUT } = await rig.server.infer('completes', { IN: tensor('FP32', [1, 3], new Float32Array([1, 2, 3])) })
    expect([...((OUT?.data ?? []) as Float32Array)]).toEqual([2, 4, 6])
  })

  test('a model that cannot be initialized is not loaded, for the reason that Python gives', async ({ backend }) => {
    await using rig = await PythonRig.start(backend, [])
    await expect(rig.server.load('fails_to_load')).rejects.toThrow(
      "load failed for model 'fails_to_load': version 1 is at UNAVAILABLE state: Internal: RuntimeError: no weights today\n\nAt:\n",
    )
    expect(await stubsOf(process.pid)).toEqual([])
  })

  test('unloading ends the stubs, reloading starts others', async ({ backend }) => {
    await using rig = await PythonRig.start(backend, ['tells'])
    const pidOf = async (): Promise<number> => {
      const { OUT } = await rig.server.infer('tells', { IN: int32(0) })
      return JSON.parse(textOf(OUT)).pid
    }
    const first = await pidOf()
    expect(isAlive(first)).toBe(true)
    await rig.server.unload('tells')
    await expect.poll(() => stubsOf(process.pid), wait).toEqual([])
    expect(isAlive(first)).toBe(false)
    await rig.server.load('tells')
    expect(await pidOf()).not.toBe(first)
  })

  test('two Servers at once, each with its own', async ({ backend }) => {
    await using one = await PythonRig.start(backend, ['streams'])
    await using two = await PythonRig.start(backend, ['streams'])
    const stream = ({ server }: PythonRig) => collect(server.inferStream('streams', { VALUES: int32(1, 2) }))
    await Promise.all([stream(one), stream(two)])
    await one.server.stop()
    expect(await stream(two)).toHaveLength(2)
    await expect.poll(() => two.server.statistics('streams')[0]?.inferenceCount).toBe(2)
  })

  test('what Python measures and logs is measured and logged here', async ({ backend }) => {
    await using rig = await PythonRig.start(backend, ['counts'])
    for (const value of [3, 5]) await rig.server.infer('counts', { IN: tensor('FP64', [1], new Float64Array([value])) })
    const lines = rig.server.metrics().split('\n')
    expect(lines.filter((line) => line.includes('proof_'))).toEqual([
      '# HELP proof_calls Calls so far',
      '# TYPE proof_calls counter',
      String.raw`proof_calls{model="counts",quoted="a\"b"} 2`,
      '# HELP proof_last Last value',
      '# TYPE proof_last gauge',
      'proof_last{model="counts"} 5',
      '# HELP proof_sizes Sizes of values',
      '# TYPE proof_sizes histogram',
      'proof_sizes_bucket{model="counts",le="1"} 0',
      'proof_sizes_bucket{model="counts",le="4"} 1',
      'proof_sizes_bucket{model="counts",le="+Inf"} 2',
      'proof_sizes_sum{model="counts"} 8',
      'proof_sizes_count{model="counts"} 2',
    ])
    const logged = rig.log.filter(({ text }) => /^(info|warn|error|verbose)/.test(text))
    expect(logged.slice(0, 3)).toEqual([
      { level: 'info', text: 'info 3.0' },
      { level: 'warn', text: 'warn' },
      { level: 'error', text: 'error' },
    ])
  })
})
