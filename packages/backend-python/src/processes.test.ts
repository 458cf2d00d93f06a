import { readdir, readlink } from 'node:fs/promises'
import { Server } from '@triton-ts/core'
import { modelRepository } from '@triton-ts/testing'
import { expect } from 'vitest'
import { ask, config, isAlive, model, PythonRig, pythonTest } from './fixtures/python-rig.ts'
import { python } from './python.ts'

const test = pythonTest()
const pid = `
    def execute(self, requests):
        return [answer([os.getpid()]) for _ in requests]`
const files = (members: string, more = '') => ({ 'm/config.pbtxt': config(more), 'm/1/model.py': model(members) })
const pidOf = async ({ server }: PythonRig): Promise<number> => Number((await ask(server, 1))[0])
const explicit = { modelControl: 'explicit', loadModels: ['m'] } as const

test('each instance has a process, the first that which completed the configuration, and they end with it', async ({
  executable,
}) => {
  const members = `
    @staticmethod
    def auto_complete_config(config):
        pb_utils.Logger.log_info(f"completed by {os.getpid()}")
        return config
    def initialize(self, args):
        pb_utils.Logger.log_info(f"initialized {args['model_instance_name']} by {os.getpid()}")
${pid}`
  const two = 'instance_group { kind: KIND_CPU count: 2 }'
  await using rig = await PythonRig.start(executable, files(members, two), explicit)
  const said = (pattern: RegExp) => rig.log.flatMap(({ text }) => pattern.exec(text)?.slice(1) ?? [])
  const completed = said(/^completed by (\d+)/)
  const initialized = said(/^initialized m_0_\d by (\d+)/).map(Number)
  expect(completed).toHaveLength(1)
  expect(initialized).toHaveLength(2)
  expect(initialized).toContain(Number(completed[0]))
  await rig.server.unload('m')
  await expect.poll(() => initialized.filter(isAlive), { timeout: 10_000 }).toEqual([])
})

test('loading and unloading leaves no process, no descriptor and no memory behind', async ({ executable }) => {
  await using memory = await modelRepository()
  const internals = { sharedMemory: memory.path }
  await using rig = await PythonRig.start(executable, files(pid), { ...explicit, internals })
  const descriptors = async () => {
    const names = await readdir('/proc/self/fd')
    const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
    return targets.filter((target) => /socket|pipe|triton-ts/.test(target)).length
  }
  const pids: number[] = []
  let held = Number.POSITIVE_INFINITY
  for (let round = 0; round < 8; round++) {
    pids.push(await pidOf(rig))
    await rig.server.unload('m')
    await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([])
    held = Math.min(held, await descriptors())
    await rig.server.load('m')
  }
  await rig.server.unload('m')
  await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([])
  await expect.poll(descriptors, { timeout: 10_000 }).toBeLessThanOrEqual(held)
  expect(await readdir(memory.path)).toEqual([])
})

test('a Server that is stopped while it starts leaves nothing behind', async ({ executable }) => {
  await using repository = await modelRepository(
    files(`
    def initialize(self, args):
        pb_utils.Logger.log_info(f"hangs {os.getpid()}")
        time.sleep(1000)
${pid}`),
  )
  const lines: string[] = []
  const log = (_: object, text: string) => lines.push(text)
  const logger = { debug: log, info: log, warn: log, error: log }
  const server = new Server({ modelRepository: repository.path, backends: [python({ executable })], logger })
  const starting = server.start().catch(String)
  const pids = () => lines.flatMap((text) => /^hangs (\d+)/.exec(text)?.slice(1) ?? []).map(Number)
  await expect.poll(() => pids().length, { timeout: 20_000 }).toBe(1)
  await server.stop()
  await starting
  await expect.poll(() => pids().filter(isAlive), { timeout: 20_000 }).toEqual([])
})

test('a load that is given up ends the process that hangs', async ({ executable }) => {
  const hangs = `
    def initialize(self, args):
        pb_utils.Logger.log_info(f"hangs {os.getpid()}")
        time.sleep(1000)
${pid}`
  await using rig = await PythonRig.start(executable, files(hangs), { modelControl: 'explicit' })
  const abort = new AbortController()
  const loading = rig.server.load('m', { signal: abort.signal }).catch(String)
  const hanging = () => rig.log.flatMap(({ text }) => /^hangs (\d+)/.exec(text)?.slice(1) ?? []).map(Number)
  await expect.poll(() => hanging().length, { timeout: 20_000 }).toBe(1)
  abort.abort()
  expect(await loading).toContain('m')
  await expect.poll(() => hanging().filter(isAlive), { timeout: 10_000 }).toEqual([])
})

test('is_ready is part of the readiness, and does not wait behind an execution', async ({ executable }) => {
  const members = `
    def initialize(self, args):
        self.ready = True
    def is_ready(self):
        return self.ready
    def execute(self, requests):
        self.ready = bool(values_of(requests[0])[0])
        pb_utils.Logger.log_info("executes")
        while not self.ready and os.path.exists(os.path.join(pb_utils.get_model_dir(), "wait")):
            time.sleep(0.01)
        return [answer([1]) for _ in requests]`
  await using rig = await PythonRig.start(executable, { ...files(members), 'm/1/wait': '' })
  expect(await rig.server.model('m').isReady()).toBe(true)
  const executing = ask(rig.server, 0)
  await expect.poll(() => rig.log.some(({ text }) => text === 'executes'), { timeout: 20_000 }).toBe(true)
  expect(await rig.server.model('m').isReady()).toBe(false)
  await rig.repository.remove('m/1/wait')
  await executing
})
