import { tensor } from '@triton-ts/core'
import { describe, expect } from 'vitest'
import { models, PythonRig, pythonBackends } from './python-rig.ts'
import { int32, textOf, valuesOf } from './values.ts'

interface Told {
  readonly pid: number
  readonly instance: string
  readonly config: Readonly<Record<string, unknown>>
}

describe.each(pythonBackends)('$name', ({ test }) => {
  test('a request reaches Python with all that it carries, an instance with all that it is', async ({ backend }) => {
    await using rig = await PythonRig.start(backend, ['tells'])
    const tell = async (more: object = {}, wait = 0) => {
      const inputs = [{ name: 'IN', tensor: int32(wait) }]
      const { id, outputs } = await rig.server.model('tells').request({ inputs, ...more })
      return { id, told: JSON.parse(textOf(outputs.OUT)) as Told }
    }
    const { id, told } = await tell({
      id: 'a request',
      correlationId: 2n ** 64n - 1n,
      sequenceStart: true,
      timeoutMicroseconds: 5_000_000,
      parameters: { text: 'ä', yes: true, whole: 7, negative: -(2n ** 62n) },
    })
    expect(id).toBe('a request')
    expect(told).toMatchObject({
      id: 'a request',
      correlation_id: 2 ** 64,
      flags: 1,
      timeout: 5_000_000,
      parameters: { text: 'ä', yes: true, whole: 7, negative: -(2 ** 62) },
      outputs: ['OUT'],
      kind: 'CPU',
      model: 'tells',
      version: '1',
      repository: `${models}/tells`,
    })
    expect(told.config).toEqual(rig.server.model('tells').configJson())
    expect((await tell({ correlationId: 'a text' })).told).toMatchObject({ correlation_id: 'a text', id: '', flags: 0 })

    const both = await Promise.all([tell({}, 50), tell({}, 50)])
    expect(both.map(({ told }) => told.instance).sort()).toEqual(['tells_0_0', 'tells_0_1'])
    expect(new Set(both.map(({ told }) => told.pid)).size).toBe(2)
  })

  test('requests are run as the batches that the engine makes', async ({ backend }) => {
    await using rig = await PythonRig.start(backend, ['batches'])
    const rows = [1, 2, 1]
    const answers = await Promise.all(
      rows.map((count, i) => {
        const values = new Int32Array(count).fill(i)
        return rig.server.infer('batches', { IN: tensor('INT32', [count, 1], values) })
      }),
    )
    expect(answers.map(({ OUT }) => valuesOf(OUT))).toEqual([[0], [1, 1], [2]])
    expect(answers.map(({ BATCH }) => valuesOf(BATCH).slice(0, 2))).toEqual([
      [3, 4],
      [3, 4],
      [3, 4],
    ])

    // The backend reports after it has answered, as it does in tritonserver.
    const read = () => rig.server.statistics('batches')[0]
    await expect
      .poll(read, { timeout: 5_000 })
      .toMatchObject({ inferenceCount: 4, executionCount: 1, responseStats: {} })
    const statistics = read()
    expect(statistics?.inferenceStats).toMatchObject({ success: { count: 3 }, fail: { count: 0 }, queue: { count: 3 } })
    expect(statistics?.batchStats).toMatchObject([{ batchSize: 4, computeInfer: { count: 1 } }])
    expect(statistics?.batchStats[0]?.computeInfer.ns).toBeGreaterThan(0)
  })

  test('sequences, with controls', async ({ backend }) => {
    await using rig = await PythonRig.start(backend, ['sums'])
    const add = async (correlationId: bigint, value: number, more: object = {}) => {
      const inputs = [{ name: 'IN', tensor: tensor('INT32', [1, 1], new Int32Array([value])) }]
      const { outputs } = await rig.server.model('sums').request({ inputs, correlationId, ...more })
      return [...((outputs.OUT?.data ?? []) as BigInt64Array)].map(Number)
    }
    const start = { sequenceStart: true }
    const end = { sequenceEnd: true }
    expect(await Promise.all([add(1n, 10, start), add(2n, 20, start)])).toEqual([
      [10, 1, 1, 0],
      [20, 2, 1, 0],
    ])
    expect(await Promise.all([add(1n, 1), add(2n, 2)])).toEqual([
      [11, 1, 0, 0],
      [22, 2, 0, 0],
    ])
    expect(await add(1n, 100, end)).toEqual([111, 1, 0, 1])
    await expect(add(1n, 0)).rejects.toThrow('must specify the START flag')
    expect(await add(1n, 5, { ...start, ...end })).toEqual([5, 1, 1, 1])
    expect(await add(2n, 0, end)).toEqual([22, 2, 0, 1])
  })
})
