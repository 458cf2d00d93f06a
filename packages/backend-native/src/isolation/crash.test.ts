import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerOptions } from '@triton-ts/core'
import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { config, input, parameter, started } from './fixtures/rig.ts'

const one = (more = '') => ({ 'm/config.pbtxt': config(more), 'm/1/': '' })
const doing = (what: string) => ({ parameters: { do: what } })
const explicit: ServerOptions = { modelControl: 'explicit' }
const crashed = "the process of model 'm' ended by SIGSEGV while instance 'm_0_0' ran a request:\nreading address 0"

test('a crash fails what was in flight, and nothing else', async () => {
  const { server, log } = await started({ ...one(), 'other/config.pbtxt': config(), 'other/1/': '' })
  await expect(server.infer('m', input(), doing('segv'))).rejects.toMatchObject({ code: 'INTERNAL', message: crashed })
  await server.infer('other', input())
  expect(log.lines).toContain(crashed)
  await expect.poll(() => server.model('m').isReady()).toBe(true)
  const { OUT } = await server.infer('m', input(3, 4))
  expect(OUT?.data).toEqual(new Float32Array([3, 4]))
  expect(server.statistics('m')).toMatchObject([{ inferenceStats: { success: { count: 1 }, fail: { count: 1 } } }])
})

test('a process that sends what makes no sense is ended', async () => {
  const { server, log } = await started(one())
  await expect(server.infer('m', input(), doing('babble'))).rejects.toMatchObject({ code: 'INTERNAL' })
  await log.line("the process of model 'm' sent what makes no sense: it is ended")
  await expect.poll(() => server.model('m').isReady()).toBe(true)
  await server.infer('m', input())
})

test('requests of several instances fail together', async () => {
  const { server, log } = await started({ ...one(), 'm/config.pbtxt': config().replace('count: 1', 'count: 2') })
  const waiting = server.infer('m', input(), doing('wait'))
  await log.line('waiting')
  const exits = server.infer('m', input(), doing('exit'))
  const text = /^the process of model 'm' ended with exit code 3 while instance 'm_0_\d' ran a request and instance/
  await expect(waiting).rejects.toThrow(text)
  await expect(exits).rejects.toThrow(text)
})

test('requests that were kept fail, too', async () => {
  const { server } = await started(one('model_transaction_policy { decoupled: true }'))
  const stream = server.model('m').inferStream(input(), doing('keepAndCrash'))
  await stream.next()
  await expect(stream.next()).rejects.toThrow("ended by SIGSEGV while instance 'm_0_0' ran a request")
})

test('a crash during the load fails the load', async () => {
  const files = { ...one(), 'm/1/crash': '', 'i/config.pbtxt': config(parameter('do', 'abort_instance')), 'i/1/': '' }
  const { server, log } = await started(files, explicit)
  await expect(server.load('m')).rejects.toThrow(
    /the process of model 'm' ended by SIGABRT while it loaded:\nthe file crash is there/,
  )
  await expect(server.load('i')).rejects.toThrow(
    "the process of model 'i' ended by SIGABRT while it made instance 'i_0_0'",
  )
  expect(log.lines.filter((line) => line.startsWith('restarting'))).toEqual([])
})

test('a process that ends again and again restarts after longer and longer', async () => {
  const clock = virtualClock()
  const { server, log, path } = await started(one(), {}, { clock })
  const crash = join(path, 'm/1/crash')
  const restarts = () => log.lines.filter((line) => line.startsWith('restarting')).length
  await writeFile(crash, '')
  await expect(server.infer('m', input(), doing('segv'))).rejects.toThrow('SIGSEGV')
  const waits: number[] = []
  for (const seconds of [0, 1, 2, 4, 8, 16, 30, 30]) {
    const failures = log.count('did not restart')
    await clock.advance(Math.max(0, seconds * 1000 - 1))
    waits.push(restarts())
    await clock.advance(1)
    await log.line('did not restart', failures)
  }
  expect(waits).toEqual([1, 1, 2, 3, 4, 5, 6, 7])
  expect(await server.isReady()).toBe(false)
  await expect(server.infer('m', input())).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: "the process of model 'm' is down, it restarts in 30 s",
  })
  await rm(crash)
  await clock.advance(30_000)
  await expect.poll(() => server.isReady()).toBe(true)
  await server.infer('m', input())
})

test('a stop does not wait for a restart', async () => {
  const clock = virtualClock()
  const { server, log, path } = await started(one(), {}, { clock })
  await writeFile(join(path, 'm/1/crash'), '')
  await expect(server.infer('m', input(), doing('exit'))).rejects.toThrow('exit code 3')
  await clock.advance(0)
  await log.line('did not restart')
  await server.stop()
  expect(clock.timers).toBe(0)
})

test('a stop ends a restart that is stuck', async () => {
  const clock = virtualClock()
  const { server, log, path } = await started(one(), {}, { clock })
  await writeFile(join(path, 'm/1/stuck'), '')
  await expect(server.infer('m', input(), doing('exit'))).rejects.toThrow('exit code 3')
  await clock.advance(0)
  await log.line('stuck')
  const stopping = server.stop()
  await expect.poll(() => clock.timers).toBe(1)
  await clock.advance(10_000)
  await log.line("model 'm' does not give its load up after 10 s: its process is ended")
  await stopping
  expect(clock.timers).toBe(0)
})

test('a load that is given up but stuck ends', async () => {
  const clock = virtualClock()
  const { server, log } = await started({ ...one(), 'm/1/stuck': '' }, explicit, { clock })
  const caller = new AbortController()
  const loading = server.load('m', { signal: caller.signal })
  await log.line('stuck')
  caller.abort()
  await expect.poll(() => clock.timers).toBe(1)
  await clock.advance(10_000)
  await expect(loading).rejects.toMatchObject({ code: 'CANCELLED' })
})

test('a crash while the model is unloaded is logged', async () => {
  const { server, log } = await started(one(parameter('do', 'crash_late')), { ...explicit, loadModels: ['m'] })
  await server.unload('m')
  await log.line('ended by SIGABRT while it was unloaded')
  expect(log.lines.filter((line) => line.startsWith('restarting'))).toEqual([])
})

test('a process that does not end is ended', async () => {
  const clock = virtualClock()
  const { server, log } = await started(one(parameter('do', 'hang')), {}, { clock })
  const stopping = server.stop()
  await expect.poll(() => clock.timers).toBe(1)
  await clock.advance(10_000)
  await log.line("instance 'm_0_0' is not disposed after 10 s: its process is ended")
  await clock.advance(5000)
  await stopping
  expect(clock.timers).toBe(0)
})
