import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onnx } from '@triton-ts/backend-onnx'
import { Server, tensor } from '@triton-ts/core'
import { onnxModel } from '@triton-ts/testing'
import { row } from './measure.ts'

/**
 * Resident memory: a model of 200 MB of weights with one and with two instances, and after loading and unloading a
 * model of 20 MB many times. Each subject runs in a process of its own, which has not seen the model's bytes before.
 */
const [, self = '', subject = 'all', word = 'native', path = ''] = process.argv
const executor = word === 'worker' ? 'worker' : 'native'
const megabytes = (): number => process.memoryUsage().rss / 1e6
const settle = () => new Promise((resolve) => setTimeout(resolve, 100))

async function writeRepository(rows: number, instances: number): Promise<void> {
  const weights = tensor('FP32', [rows, 1024], new Float32Array(rows * 1024).fill(0.001))
  const model = onnxModel({
    inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: ['N', rows] }],
    outputs: [{ name: 'OUTPUT0', datatype: 'FP32', shape: ['N', 1024] }],
    initializers: { w: weights },
    nodes: [{ op: 'MatMul', inputs: ['INPUT0', 'w'], outputs: ['OUTPUT0'] }],
  })
  await mkdir(join(path, 'm/1'), { recursive: true })
  await writeFile(join(path, 'm/1/model.onnx'), model)
  const groups = `instance_group { kind: KIND_CPU count: ${instances} }`
  await writeFile(join(path, 'm/config.pbtxt'), `backend: "onnxruntime" max_batch_size: 8 ${groups}`)
}

const input = (rows: number) => ({ INPUT0: tensor('FP32', [1, rows], new Float32Array(rows).fill(1)) })

async function served(rows: number): Promise<number> {
  globalThis.gc?.()
  await settle()
  const before = megabytes()
  await using server = await Server.start({ modelRepository: path, backends: [onnx({ executor })] })
  await Promise.all(Array.from({ length: 8 }, () => server.infer('m', input(rows))))
  globalThis.gc?.()
  await settle()
  return megabytes() - before
}

async function cycles(rows: number, count: number): Promise<void> {
  await using server = await Server.start({
    modelRepository: path,
    backends: [onnx({ executor })],
    modelControl: 'explicit',
  })
  for (let i = 1; i <= count; i++) {
    await server.load('m')
    await server.infer('m', input(rows))
    await server.unload('m')
    if (i !== 20 && i !== count) continue
    globalThis.gc?.()
    await settle()
    console.log(row(`after ${i} loads and unloads, MB`, megabytes().toFixed(1)))
  }
}

/** In a process of its own. */
function spawnSelf(...args: string[]): void {
  const { status } = spawnSync(process.execPath, ['--expose-gc', self, ...args], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
}

async function measureAll(): Promise<void> {
  console.log(`${executor} executor, Node ${process.version}`)
  for (const subject of ['one', 'two', 'cycles']) {
    const folder = await mkdtemp(join(tmpdir(), 'native-memory-'))
    spawnSelf(`write-${subject}`, executor, folder)
    spawnSelf(subject, executor, folder)
    await rm(folder, { recursive: true })
  }
}

const large = 50_000
const small = 5_000
if (subject === 'write-one') await writeRepository(large, 1)
else if (subject === 'write-two') await writeRepository(large, 2)
else if (subject === 'write-cycles') await writeRepository(small, 2)
else if (subject === 'one') console.log(row('200 MB of weights, 1 instance, MB', (await served(large)).toFixed(1)))
else if (subject === 'two') console.log(row('200 MB of weights, 2 instances, MB', (await served(large)).toFixed(1)))
else if (subject === 'cycles') await cycles(small, 200)
else await measureAll()
