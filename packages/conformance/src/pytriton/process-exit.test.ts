import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Ended, startScript } from './ended-process.ts'
import { isAlive } from './process-lock.ts'
import { models, pythonTest } from './python-rig.ts'
import type { Pytriton } from './pytriton.ts'
import { stubsOf } from './stubs.ts'

const test = pythonTest()
const built = (path: string) => new URL(path, import.meta.url).href

/** Starts a Server with two stubs; `infer(ms)` takes so long; `ready()` tells the test that it may go on. */
const prelude = ({ backends }: Pytriton) => `
  import { writeSync } from 'node:fs'
  import { isMainThread, Worker } from 'node:worker_threads'
  import { Server, tensor } from '${built('../../../core/dist/index.js')}'
  import { native } from '${built('../../../backend-native/dist/index.js')}'
  const start = () => Server.start({
    modelRepository: '${models}',
    modelControl: 'explicit',
    loadModels: ['tells'],
    disableAutoComplete: true,
    backends: [native({ directory: '${backends}' })],
  })
  const infer = (server, ms) => server.infer('tells', { IN: tensor('INT32', [1], new Int32Array([ms])) })
  const ready = () => writeSync(1, 'ready\\n')
  const later = (work) => setTimeout(work, 50)
`

/**
 * Runs a script until its process ends. All stubs that it had when it was ready must go with it.
 * @param signal is sent when it is ready.
 */
async function run(pytriton: Pytriton, body: string, signal?: NodeJS.Signals): Promise<Ended> {
  const directory = await mkdtemp(join(tmpdir(), 'triton-ts-exit-'))
  try {
    const file = join(directory, 'script.mjs')
    await writeFile(file, prelude(pytriton) + body)
    const script = startScript(file)
    await script.ready
    const stubs = await stubsOf(script.pid)
    if (signal !== undefined) process.kill(script.pid, signal)
    const ended = await script.ended
    expect(ended.output).not.toMatch(/terminate called|FATAL|abort/i)
    expect(stubs).toHaveLength(2)
    await expect.poll(() => stubs.filter(isAlive), { timeout: 10_000 }).toEqual([])
    return ended
  } finally {
    await rm(directory, { recursive: true })
  }
}

test('the script ends, nobody has stopped the Server', async ({ pytriton }) => {
  const body = "const server = await start(); ready(); await infer(server, 0); console.log('end')"
  expect(await run(pytriton, body)).toEqual({ code: 0, signal: null, output: 'ready\nend\n' })
})

test('process.exit while a model runs', async ({ pytriton }) => {
  const body = 'const server = await start(); ready(); void infer(server, 400); later(() => process.exit(7))'
  expect(await run(pytriton, body)).toEqual({ code: 7, signal: null, output: 'ready\n' })
})

test('an uncaught error while a model runs', async ({ pytriton }) => {
  const body =
    "const server = await start(); ready(); void infer(server, 400); later(() => { throw new Error('uncaught') })"
  const ended = await run(pytriton, body)
  expect(ended).toMatchObject({ code: 1, signal: null })
  expect(ended.output).toContain('Error: uncaught')
})

test('SIGTERM, answered by stopping the Server', async ({ pytriton }) => {
  const body = `
    const server = await start()
    process.once('SIGTERM', async () => { await server.stop(); console.log('stopped') })
    const answer = infer(server, 400).then(() => console.log('answered'))
    ready()
    await answer`
  expect(await run(pytriton, body, 'SIGTERM')).toEqual({ code: 0, signal: null, output: 'ready\nanswered\nstopped\n' })
})

test.for(['SIGTERM', 'SIGKILL'] as const)('%s, of which the process knows nothing', async (signal, { pytriton }) => {
  const body = 'const server = await start(); void infer(server, 400); ready()'
  expect(await run(pytriton, body, signal)).toEqual({ code: null, signal, output: 'ready\n' })
})

test('a worker thread with a Server: it ends, is terminated or exits while a model runs', async ({ pytriton }) => {
  const body = (how: string) => `
    if (isMainThread) {
      const worker = new Worker(new URL(import.meta.url))
      worker.on('message', (message) => { ready(); later(() => message === 'terminate' && worker.terminate()) })
      worker.on('exit', (code) => console.log('worker ended', code))
    } else {
      const { parentPort } = await import('node:worker_threads')
      const server = await start()
      ${how}
    }`
  const ends = "parentPort.postMessage(''); await infer(server, 400); console.log('answered')"
  const stops = "parentPort.postMessage(''); await infer(server, 400); await server.stop()"
  const terminated = "void infer(server, 400); parentPort.postMessage('terminate')"
  const exits = "void infer(server, 400); parentPort.postMessage(''); setTimeout(() => process.exit(3), 100)"
  const ended = (output: string) => ({ code: 0, signal: null, output: `ready\n${output}` })
  expect(await run(pytriton, body(ends))).toEqual(ended('answered\nworker ended 0\n'))
  expect(await run(pytriton, body(stops))).toEqual(ended('worker ended 0\n'))
  expect(await run(pytriton, body(terminated))).toEqual(ended('worker ended 1\n'))
  expect(await run(pytriton, body(exits))).toEqual(ended('worker ended 3\n'))
})
