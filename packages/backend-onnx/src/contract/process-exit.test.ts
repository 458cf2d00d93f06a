import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelRepository, onnxModel } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { contract, type ExecutorKind } from './executors.ts'

/** Large enough for a run to last until the process ends: twenty products of large matrices. */
const size = 768
const steps = 20
const slow = onnxModel({
  inputs: [{ name: 'X', datatype: 'FP32', shape: [size, size] }],
  outputs: [{ name: `t${steps}`, datatype: 'FP32', shape: [size, size] }],
  nodes: Array.from({ length: steps }, (_, step) => ({
    op: 'MatMul',
    inputs: [step === 0 ? 'X' : `t${step}`, 'X'],
    outputs: [`t${step + 1}`],
  })),
})

const built = (path: string) => new URL(path, import.meta.url).href

/** A script that starts a server with the slow model; `infer()` starts a run. */
const prelude = (kind: ExecutorKind, repository: string) => `
  import { Server, tensor } from '${built('../../../core/dist/index.js')}'
  import { onnx } from '${built('../../dist/index.js')}'
  const starting = Server.start({ modelRepository: '${repository}', backends: [onnx({ executor: '${kind}' })] })
  const infer = async () => {
    const server = await starting
    return server.infer('slow', { X: tensor('FP32', [${size}, ${size}], new Float32Array(${size * size})) })
  }
  const whenRunning = (work) => starting.then(() => setTimeout(work, 20))
`

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly output: string
}

async function runScript(kind: ExecutorKind, body: string): Promise<Ended> {
  await using repository = await modelRepository({ 'models/slow/1/model.onnx': slow })
  const script = join(repository.path, 'script.mjs')
  await writeFile(script, prelude(kind, join(repository.path, 'models')) + body)
  return await new Promise((resolve) => {
    const child = execFile(process.execPath, [script], (_, stdout, stderr) => {
      resolve({ code: child.exitCode, signal: child.signalCode, output: stdout + stderr })
    })
  })
}

contract((kind) => {
  const run = (body: string) => runScript(kind, body)
  test('process.exit while a model runs', async () => {
    expect(await run('void infer(); whenRunning(() => process.exit(7))')).toEqual({ code: 7, signal: null, output: '' })
  })

  test('process.exit while a model loads', async () => {
    expect(await run('setImmediate(() => process.exit(7))')).toMatchObject({ code: 7, signal: null })
  })

  test('an uncaught error while a model runs', async () => {
    const ended = await run("void infer(); whenRunning(() => { throw new Error('uncaught') })")
    expect(ended).toMatchObject({ code: 1, signal: null })
    expect(ended.output).toContain('uncaught')
  })

  test('a run in progress is finished before the process ends by itself', async () => {
    const ended = await run(`void infer().then(() => console.log('finished'))`)
    expect(ended).toEqual({ code: 0, signal: null, output: 'finished\n' })
  })

  test('a server that nobody stopped does not keep the process alive', async () => {
    expect(await run("await infer(); console.log('end of script')")).toEqual({
      code: 0,
      signal: null,
      output: 'end of script\n',
    })
  })

  test('stopping lets the process end', async () => {
    expect(await run("await infer(); await (await starting).stop(); console.log('stopped')")).toEqual({
      code: 0,
      signal: null,
      output: 'stopped\n',
    })
  })
})
