import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { config, input } from '../../fixtures/server-rig.ts'
import { type Logger, Tensor, tensor } from '../../index.ts'
import { type FileEntry, readTraces, tracing } from '../fixtures/trace-rig.ts'
import { shortNumber } from './short-number.ts'
import { TensorSnapshot } from './tensor-snapshot.ts'

const one = { 'm/config.pbtxt': config(), 'm/1/': '' }

const idsOf = (entries: readonly FileEntry[]): number[] => [...new Set(entries.map(({ id }) => id))]

/** Names and requests of all files of a Server that has stopped. */
async function filesOf(file: string): Promise<Record<string, number[]>> {
  const found: Record<string, number[]> = {}
  for (const name of (await readdir(dirname(file))).sort()) {
    found[name] = idsOf(await readTraces(`${dirname(file)}/${name}`))
  }
  return found
}

test('traces go to one file, which is complete when the Server has stopped', async () => {
  const { server, file } = await tracing(one)
  for (let i = 0; i < 3; i++) await server.infer('m', input())
  await server.stop()
  expect(await filesOf(file)).toEqual({ 'trace.json': [1, 2, 3] })
})

test('a file is numbered for every so many traces, and the rest have one too', async () => {
  const { server, file } = await tracing(one, { logFrequency: 2 })
  for (let i = 0; i < 5; i++) await server.infer('m', input())
  await server.stop()
  expect(await filesOf(file)).toEqual({ 'trace.json.0': [1, 2], 'trace.json.1': [3, 4], 'trace.json.2': [5] })
})

test('the count being exhausted makes a numbered file', async () => {
  const { server, file } = await tracing(one, { count: 2, rate: 2 })
  for (let i = 0; i < 9; i++) await server.infer('m', input())
  await vi.waitFor(async () => expect(await readTraces(`${file}.0`)).toHaveLength(18))
  await server.stop()
  expect(await filesOf(file)).toEqual({ 'trace.json.0': [1, 2] })
})

test('traces of settings that were replaced are written with the last of them', async () => {
  const { server, file } = await tracing(one, { logFrequency: 10 })
  await server.infer('m', input())
  const open = server.startTrace('m')
  server.updateTraceSettings({ logFrequency: 0 })
  await server.infer('m', input())
  open?.mark('HTTP_RECV_START')
  open?.release()
  await server.stop()
  expect(await filesOf(file)).toEqual({ 'trace.json': [3], 'trace.json.0': [1, 2] })
})

test('nothing is written where nothing was traced', async () => {
  const { server, file } = await tracing(one, { rate: 100 })
  await server.infer('m', input())
  await server.stop()
  expect(await filesOf(file)).toEqual({})
})

test('a file that cannot be written costs traces, is told of once, and nothing else', async () => {
  const errors: string[] = []
  const error = (fields: object, text: string): void => {
    errors.push(text)
    // `file` would be the place in a program that says it.
    expect(Object.keys(fields)).toEqual(['err', 'path'])
  }
  const logger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error }
  const { server, file } = await tracing(one, { logFrequency: 1 }, { logger })
  await rm(dirname(file), { recursive: true })
  for (let i = 0; i < 3; i++) expect((await server.infer('m', input())).OUT?.data).toEqual(new Float32Array([1, 2]))
  await vi.waitFor(() => expect(errors).toHaveLength(1))
  await mkdir(dirname(file))
  await server.infer('m', input())
  await server.stop()
  expect(errors[0]).toContain('failed creating trace file: ENOENT')
  expect((await readFile(`${file}.3`, 'utf8')).endsWith(']')).toBe(true)
})

test('more than fits in memory is lost, whole traces at a time', async () => {
  const warnings: string[] = []
  const warn = (_: object, text: string): number => warnings.push(text)
  const logger: Logger = { debug: () => {}, info: () => {}, warn, error: () => {} }
  const { server, file } = await tracing(one, { level: ['TENSORS'], count: 100 }, { logger })
  const traces = Array.from({ length: 3 }, () => server.startTrace('m'))
  const large = tensor('FP16', [15_000_000], new Uint16Array(15_000_000))
  for (const trace of traces) trace?.responded({ large })
  for (const trace of traces) trace?.release()
  server.updateTraceSettings({ level: [] })
  await server.stop()
  expect(warnings).toEqual(['traces are lost: they come faster than the trace file takes them'])
  expect(await filesOf(file)).toEqual({ 'trace.json': [1, 2] })
}, 60_000)

const textOf = (value: Tensor): string => [...new TensorSnapshot('A', 'T', value).data()].join('')

test('values are written as C++ streams write them', () => {
  expect(textOf(tensor('FP32', [4], new Float32Array([0.1, 1e6, -1.5e-5, 705.6764])))).toBe(
    '0.1,1e+06,-1.5e-05,705.676',
  )
  expect(textOf(tensor('FP64', [3], new Float64Array([Number.NaN, -Infinity, 123456])))).toBe('nan,-inf,123456')
  expect(textOf(tensor('INT64', [2], new BigInt64Array([-5n, 2n ** 60n])))).toBe('-5,1152921504606846976')
  expect(textOf(tensor('BOOL', [2], new Uint8Array([1, 0])))).toBe('1,0')
  expect(textOf(tensor('FP16', [1], new Uint16Array([1])))).toBe('')
  expect(textOf(Tensor.of('FP32', [0], new Float32Array(0)))).toBe('')
  expect(JSON.parse(`"${textOf(tensor('BYTES', [2], ['a "b"', 'c\n']))}"`)).toBe(
    '"a \\"b\\"","c\\n"'.replaceAll('\\"b\\"', '"b"').replaceAll('\\n', '\n'),
  )
})

test('a snapshot stays as it was', () => {
  const data = new Float32Array([1, 2])
  const snapshot = new TensorSnapshot('A', 'T', tensor('FP32', [2], data))
  data.fill(9)
  expect([...snapshot.data()].join('')).toBe('1,2')
})

test('a number is its six digits', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }), (value) => {
      expect(Number(shortNumber(value))).toBe(value === 0 ? value : Number(value.toPrecision(6)))
    }),
  )
})
