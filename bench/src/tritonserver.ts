import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { preparePytriton } from '../../packages/conformance/src/pytriton/pytriton.ts'

/** Linux counts the processor time of processes in hundredths of a second. */
const tickMicroseconds = 10_000
const native = fileURLToPath(new URL('../../native/build/Release/backends/onnxruntime', import.meta.url))

/** A real tritonserver 2.51 with our ONNX Runtime library; HTTP only. */
export class TritonServer {
  readonly port: number
  readonly #child: ChildProcess
  readonly #backends: string

  private constructor(child: ChildProcess, port: number, backends: string) {
    this.#child = child
    this.port = port
    this.#backends = backends
  }

  /** @returns why there is none on this machine. */
  static async start(repository: string, runtime: string): Promise<TritonServer | string> {
    const triton = await preparePytriton()
    if ('missing' in triton) return triton.missing
    const backends = await mkdtemp(join(tmpdir(), 'triton-backends-'))
    await cp(native, join(backends, 'onnxruntime'), { recursive: true })
    const port = await freePort()
    const flags = {
      'model-repository': repository,
      'backend-directory': backends,
      'backend-config': `onnxruntime,onnxruntime-library=${runtime}`,
      'http-address': '127.0.0.1',
      'http-port': port,
      'allow-grpc': false,
      'allow-metrics': false,
      'log-info': false,
    }
    const child = spawn(
      triton.server,
      Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
      { env: { ...process.env, ...triton.environment }, stdio: ['ignore', 'ignore', 'inherit'] },
    )
    const server = new TritonServer(child, port, backends)
    await server.#ready()
    return server
  }

  async #ready(): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt++) {
      const answer = await fetch(`http://127.0.0.1:${this.port}/v2/health/ready`).catch(() => undefined)
      if (answer?.status === 200) return
      if (this.#child.exitCode !== null) throw new Error(`tritonserver ended with ${this.#child.exitCode}`)
      await setTimeout(100)
    }
    throw new Error('tritonserver did not become ready')
  }

  /** User and system time so far, in microseconds. */
  async cpu(): Promise<number> {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * tickMicroseconds
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
    await rm(this.#backends, { recursive: true })
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
