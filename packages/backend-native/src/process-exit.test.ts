import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelRepository } from '@triton-ts/testing'
import { expect } from 'vitest'
import { backendDirectory, nativeTest, parameterText } from './fixtures/native-rig.ts'

const built = (path: string) => new URL(path, import.meta.url).href

const config = (fault: string) => `
  backend: "faulty"
  input { name: "INPUT" data_type: TYPE_INT32 dims: 1 }
  output { name: "OUTPUT" data_type: TYPE_INT32 dims: 1 }
  ${parameterText('fault', fault)} ${parameterText('milliseconds', '300')}`

/** A script that starts a Server; `infer()` runs the model, `whenRunning` waits until the library has the request. */
const prelude = (repository: string) => `
  import { Server, tensor } from '${built('../../core/dist/index.js')}'
  import { native } from '${built('../dist/index.js')}'
  const server = await Server.start({
    modelRepository: '${repository}',
    backends: [native({ directory: '${backendDirectory}' })],
  })
  const infer = () => server.infer('m', { INPUT: tensor('INT32', [1], new Int32Array([1])) })
  const whenRunning = (work) => setTimeout(work, 50)
`

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly output: string
}

/** @param fault of the model; `sleep-execute` takes 0.3 s. */
async function run(body: string, fault = 'sleep-execute'): Promise<Ended> {
  await using files = await modelRepository({ 'models/m/config.pbtxt': config(fault), 'models/m/1/': '' })
  const script = join(files.path, 'script.mjs')
  await writeFile(script, prelude(join(files.path, 'models')) + body)
  return await runScript(script)
}

/** The same in a worker thread. @param outside runs in the main thread, which has the `worker`. */
async function runInWorker(body: string, outside = ''): Promise<Ended> {
  await using files = await modelRepository({ 'models/m/config.pbtxt': config('sleep-execute'), 'models/m/1/': '' })
  const inside = join(files.path, 'inside.mjs')
  const script = join(files.path, 'script.mjs')
  await writeFile(inside, prelude(join(files.path, 'models')) + body)
  await writeFile(
    script,
    `import { Worker } from 'node:worker_threads'
     const worker = new Worker('${inside}')
     worker.on('exit', () => console.log('worker ended'))
     ${outside}`,
  )
  return await runScript(script)
}

const runScript = (script: string): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [script], (_, stdout, stderr) => {
      resolve({ code: child.exitCode, signal: child.signalCode, output: stdout + stderr })
    })
  })

nativeTest('a process with a model open ends by itself', async () => {
  expect(await run("await infer(); console.log('done')")).toEqual({ code: 0, signal: null, output: 'done\n' })
})

nativeTest('a process waits for a request in flight', async () => {
  const ended = await run("infer().then(() => console.log('answered'))")
  expect(ended).toEqual({ code: 0, signal: null, output: 'answered\n' })
})

nativeTest('a process lives from one short request to the next', async () => {
  const ended = await run("for (let i = 0; i < 500; i++) await infer(); console.log('done')", 'none')
  expect(ended).toEqual({ code: 0, signal: null, output: 'done\n' })
})

nativeTest('process.exit with a request in flight', async () => {
  expect(await run('void infer(); whenRunning(() => process.exit(7))')).toEqual({ code: 7, signal: null, output: '' })
})

nativeTest('process.exit with a request that waits to be cancelled', async () => {
  const ended = await run('infer().catch(() => {}); whenRunning(() => process.exit(7))', 'hang-execute')
  expect(ended).toEqual({ code: 7, signal: null, output: '' })
})

nativeTest('process.exit with a request that the library keeps', async () => {
  const ended = await run('infer().catch(() => {}); whenRunning(() => process.exit(7))', 'never-release')
  expect(ended).toEqual({ code: 7, signal: null, output: '' })
})

nativeTest('an uncaught error with a request in flight', async () => {
  const { code, signal, output } = await run("void infer(); whenRunning(() => { throw new Error('oops') })")
  expect({ code, signal }).toEqual({ code: 1, signal: null })
  expect(output).toContain('oops')
})

nativeTest('SIGTERM with a request in flight', async () => {
  const { signal } = await run('void infer(); whenRunning(() => process.kill(process.pid, "SIGTERM"))')
  expect(signal).toBe('SIGTERM')
})

nativeTest('a request whose caller has gone does not keep the process alive', async () => {
  const body = `const abort = new AbortController()
    server.infer('m', { INPUT: tensor('INT32', [1], new Int32Array([1])) }, { signal: abort.signal }).catch(() => {})
    whenRunning(() => abort.abort())`
  expect(await run(body, 'never-release')).toEqual({ code: 0, signal: null, output: '' })
})

nativeTest('a worker thread ends by itself', async () => {
  const ended = await runInWorker("await infer(); console.log('done'); await server.stop()")
  expect(ended).toEqual({ code: 0, signal: null, output: 'done\nworker ended\n' })
})

nativeTest('a worker thread is terminated with a request in flight', async () => {
  const body = `import { parentPort } from 'node:worker_threads'
    infer()
    whenRunning(() => parentPort.postMessage('running'))`
  const ended = await runInWorker(body, "worker.on('message', () => worker.terminate())")
  expect(ended).toEqual({ code: 0, signal: null, output: 'worker ended\n' })
})
