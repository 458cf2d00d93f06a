import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Pytriton, preparePytriton } from '../../packages/conformance/src/pytriton/pytriton.ts'
import { RealServer } from '../../packages/conformance/src/pytriton/real-server.ts'

/** Linux counts the processor time of processes in hundredths of a second. */
const tickMicroseconds = 10_000
const native = fileURLToPath(new URL('../../native/build/Release/backends/onnxruntime', import.meta.url))

/** A real tritonserver 2.51 with our ONNX Runtime library and NVIDIA's Python backend; HTTP only. */
export class TritonServer {
  readonly port: number
  readonly #child: ChildProcess
  readonly #server: RealServer

  private constructor(child: ChildProcess, port: number, server: RealServer) {
    this.#child = child
    this.port = port
    this.#server = server
  }

  /**
   * With our ONNX Runtime library.
   * @param flags of tritonserver, beside those that it needs here.
   * @returns why there is none on this machine.
   */
  static start(repository: string, runtime: string, ...flags: string[]): Promise<TritonServer | string> {
    return TritonServer.#start(repository, { onnxruntime: () => native }, { TRITON_TS_ONNXRUNTIME: runtime }, flags)
  }

  /** The same with NVIDIA's Python backend. */
  static startPython(repository: string): Promise<TritonServer | string> {
    return TritonServer.#start(repository, { python: ({ backends }) => join(backends, 'python') }, {})
  }

  static async #start(
    repository: string,
    backends: Readonly<Record<string, (triton: Pytriton) => string>>,
    settings: Readonly<Record<string, string>>,
    flags: readonly string[] = [],
  ): Promise<TritonServer | string> {
    const triton = await preparePytriton()
    if ('missing' in triton) return triton.missing
    const directories = Object.entries(backends).map(([name, directory]) => [name, directory(triton)])
    const real = await RealServer.prepare(triton, Object.fromEntries(directories), settings)
    const { program, environment } = real.choice
    if (program === undefined) return 'it names no program'
    const args = [
      ...program.args,
      `--model-repository=${repository}`,
      '--allow-metrics=false',
      '--log-info=false',
      ...flags,
    ]
    const child = spawn(program.file, args, {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const server = new TritonServer(child, real.httpPort, real)
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

  get pid(): number {
    return this.#child.pid as number
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
    await this.#server[Symbol.asyncDispose]()
  }
}
