import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { backendDirectory, nativeTest, parameterText } from '../fixtures/native-rig.ts'
import { isolationEntry } from './isolation-entry.ts'

const built = (path: string): string => new URL(path, import.meta.url).href

/** A script with a Server over one model that runs in a process of its own. */
const prelude = (repository: string): string => `
  import { Server, tensor } from '${built('../../../core/dist/index.js')}'
  import { native } from '${built('../../dist/index.js')}'
  const backends = [native({ directory: '${backendDirectory}', isolation: 'process' })]
  const server = await Server.start({ modelRepository: '${repository}', backends })
  const infer = () => server.infer('m', { INPUT: tensor('INT32', [1], new Int32Array([1])) })
`

const config = (fault: string): string => `
  backend: "faulty"
  input { name: "INPUT" data_type: TYPE_INT32 dims: 1 }
  output { name: "OUTPUT" data_type: TYPE_INT32 dims: 1 }
  ${fault === '' ? '' : parameterText('fault', fault)}`

async function children(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number)
}

async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat !== undefined && !/\) [ZX] /.test(stat)
}

interface Started {
  readonly parent: ChildProcess
  readonly exit: Promise<unknown[]>
  /** The process of the model, as it was when the script printed its first line. */
  readonly child: number
}

async function start(directory: string, body: string): Promise<Started> {
  const script = join(directory, 'script.mjs')
  await writeFile(script, prelude(join(directory, 'models')) + body)
  const parent = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(parent, 'exit')
  await once(createInterface({ input: parent.stdout }), 'line')
  const [child] = await children(parent.pid as number)
  return { parent, exit, child: child as number }
}

test('a process whose main thread does not return ends with its parent', async () => {
  await using repository = await modelRepository({
    'stuck.mjs': "export const stuck = () => ({ createModel() { console.log('stuck'); for (;;); } })",
  })
  const script = join(repository.path, 'script.mjs')
  const spec = { source: { module: join(repository.path, 'stuck.mjs'), name: 'stuck' }, config: '{}' }
  await writeFile(
    script,
    `import { fork } from 'node:child_process'
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc', 'pipe', 'pipe']
    const child = fork('${fileURLToPath(isolationEntry)}', [], { serialization: 'advanced', stdio })
    console.log(child.pid)
    child.send({ kind: 'call', call: 1, method: 'createModel', args: [${JSON.stringify(spec)}] })`,
  )
  const parent = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]()
  const child = Number((await lines.next()).value)
  expect((await lines.next()).value).toBe('stuck')
  parent.kill('SIGKILL')
  await expect.poll(() => isAlive(child), { timeout: 10_000 }).toBe(false)
})

const files = (fault = '') => ({ 'models/m/config.pbtxt': config(fault), 'models/m/1/': '' })

nativeTest('an idle process of a model does not keep its parent alive, and ends with it', async () => {
  await using repository = await modelRepository(files())
  const { exit, child } = await start(repository.path, `await infer(); console.log('idle')`)
  expect(await exit).toEqual([0, null])
  await expect.poll(() => isAlive(child)).toBe(false)
})

nativeTest.for(['process.exit(7)', "process.kill(process.pid, 'SIGKILL')"])(
  'the process of a model that runs ends with its parent: %s',
  async (end) => {
    await using repository = await modelRepository(files('hang-execute'))
    // The answer comes after the process was given the request.
    const body = `void infer().catch(() => {}); console.log('running'); await server.isReady(); ${end}`
    const { exit, child } = await start(repository.path, body)
    await exit
    await expect.poll(() => isAlive(child), { timeout: 10_000 }).toBe(false)
  },
)

nativeTest(
  'a request that a library keeps for ever does not keep the parent alive when its caller has gone',
  async () => {
    await using repository = await modelRepository(files('never-release'))
    const body = `
    const input = { INPUT: tensor('INT32', [1], new Int32Array([1])) }
    const abort = new AbortController()
    console.log('running')
    setImmediate(() => abort.abort())
    await server.infer('m', input, { signal: abort.signal }).catch(() => {})`
    const { exit, child } = await start(repository.path, body)
    expect(await exit).toEqual([0, null])
    await expect.poll(() => isAlive(child), { timeout: 10_000 }).toBe(false)
  },
)

nativeTest('an interrupt of the terminal is for the parent only', async () => {
  await using repository = await modelRepository(files())
  const body = `
    const waiting = setInterval(() => {}, 1000)
    process.once('SIGTERM', async () => { await infer(); await server.stop(); clearInterval(waiting) })
    console.log('ready')`
  const { parent, exit, child } = await start(repository.path, body)
  process.kill(child, 'SIGINT')
  parent.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})
