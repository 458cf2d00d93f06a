import { expect, test } from 'vitest'
import { started } from '../fixtures/server-rig.ts'
import type { ServerOptions } from '../index.ts'

const off = { level: [], rate: 1000, count: -1, logFrequency: 0, file: '', mode: 'triton', exporter: {} }

const server = (trace: ServerOptions['trace'], options: ServerOptions = {}) => started({}, { trace, ...options })

test('nothing is traced unless somebody asks', async () => {
  const quiet = await started({})
  expect(quiet.traceSettings()).toEqual(off)
  expect(quiet.startTrace('m')).toBeUndefined()
})

test('settings of a model hold over those of all, and those over the ones of the start', async () => {
  const one = await server({ file: 'f', rate: 7 })
  one.updateTraceSettings({ rate: 5 })
  one.updateTraceSettings({ level: ['TENSORS'], count: 3 }, 'm')
  expect(one.traceSettings('m')).toEqual({ ...off, file: 'f', level: ['TENSORS'], rate: 5, count: 3 })
  expect(one.traceSettings('other')).toEqual({ ...off, file: 'f', rate: 5 })
  one.updateTraceSettings({ rate: 6 })
  expect(one.traceSettings('m').rate).toBe(6)
  one.updateTraceSettings({ rate: null })
  expect([one.traceSettings('m').rate, one.traceSettings().rate]).toEqual([7, 7])
})

test('a model whose settings are all taken back has those of all', async () => {
  const one = await server({ file: 'f' })
  one.updateTraceSettings({ level: ['TIMESTAMPS'] }, 'm')
  expect(one.updateTraceSettings({ level: null }, 'm')).toEqual({ ...off, file: 'f' })
  one.updateTraceSettings({ logFrequency: 2 })
  expect(one.traceSettings('m').logFrequency).toBe(2)
})

test('settings that would trace nothing are refused, and everything stays as it was', async () => {
  const one = await server({})
  const noFile = 'Attempting to set invalid trace setting :trace file name is not given'
  expect(() => one.updateTraceSettings({ level: ['TIMESTAMPS'] })).toThrow(noFile)
  const two = await server({ file: 'f' })
  two.updateTraceSettings({ level: ['TIMESTAMPS'] }, 'm')
  const noRate = 'Attempting to set invalid trace setting :sample rate must be non-zero'
  expect(() => two.updateTraceSettings({ rate: 0 })).toThrow(noRate)
  expect(two.traceSettings()).toEqual({ ...off, file: 'f' })
  expect(two.traceSettings('m').rate).toBe(1000)
})

test('values that no setting has are refused', async () => {
  const one = await server({ file: 'f' })
  expect(() => one.updateTraceSettings({ count: -2 })).toThrow(
    "Unable to parse 'trace_count'. Expecting value >= -1, got:-2",
  )
  expect(() => one.updateTraceSettings({ rate: 1.5 })).toThrow(
    "Unable to parse 'trace_rate'. Expecting value >= 0, got:1.5",
  )
  await expect(server({ logFrequency: -1 })).rejects.toThrow(
    "Unable to parse 'log_frequency'. Expecting value >= 0, got:-1",
  )
})

test('a count goes down, and a change of something else goes on with what is left of it', async () => {
  const one = await server({ file: 'f', rate: 1 })
  one.updateTraceSettings({ level: ['TIMESTAMPS'], count: 3 })
  one.startTrace('m')?.release()
  expect(one.traceSettings().count).toBe(2)
  one.updateTraceSettings({ logFrequency: 9 })
  expect(one.traceSettings().count).toBe(2)
  expect(one.updateTraceSettings({ count: 3 }).count).toBe(3)
})

test('a change counts requests from the start', async () => {
  const one = await server({ file: 'f', rate: 2, level: ['TIMESTAMPS'] })
  const isTraced = (): boolean => {
    const trace = one.startTrace('m')
    trace?.release()
    return trace !== undefined
  }
  expect([isTraced(), isTraced(), isTraced()]).toEqual([false, true, false])
  one.updateTraceSettings({ logFrequency: 1 })
  expect([isTraced(), isTraced()]).toEqual([false, true])
})

test('a Server that is told to trace to no file says so', async () => {
  const warnings: string[] = []
  const warn = (_: object, message: string): number => warnings.push(message)
  const silent = { debug: () => {}, info: () => {}, warn, error: () => {} }
  await server({ level: ['TIMESTAMPS'] }, { logger: silent })
  expect(warnings).toEqual(['no request is traced: trace file name is not given'])
})
