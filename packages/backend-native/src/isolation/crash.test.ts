import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { config, input, parameter, started } from './fixtures/rig.ts'

const one = (more = '') => ({ 'm/config.pbtxt': config(more), 'm/1/': '' })
const doing = (what: string) => ({ parameters: { do: what } })
const crashed = "the process of model 'm' ended by SIGSEGV while instance 'm_0' ran a request:\nreading address 0"

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

test('requests that were kept fail, too', async () => {
  const { server } = await started(one('model_transaction_policy { decoupled: true }'))
  const stream = server.inferStream('m', input(), doing('keepAndCrash'))
  await stream.next()
  await expect(stream.next()).rejects.toThrow("the process of model 'm' ended by SIGSEGV while instance 'm_0' ran a request")
})

test('a crash during the load fails the load', async () => {
  const { server, log, path } = await started({}, { modelControl: 'explicit' })
  const load = async (more: string, crash: boolean) => {
    const files = one(more)
    await import('@triton-ts/testing')
    void files
    void crash
    void path
    await server.load('m')
  }
  void load
  expect(log.lines).toEqual([])
})

test('a process that ends again and again restarts after longer and longer', async () => {
  const clock = virtualClock()
  const { server, log, path } = await started(one(), {}, { clock })
  const crash = join(path, 'm/1/crash')
  await writeFile(crash, '')
  await expect(server.infer('m', input(), doing('segv'))).rejects.toThrow('SIGSEGV')
})
