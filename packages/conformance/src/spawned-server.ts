import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { sendRaw } from './raw-http.ts'

/** A command that takes tritonserver's flags and prints what tritonserver prints of the ports that it listens on. */
export interface ServerProgram {
  file: string
  args: readonly string[]
}

export interface SpawnOptions {
  modelRepositories: string[]
  flags?: string[] | undefined
  /** `listening` (default): the HTTP port is bound; `live` and `ready` wait for those endpoints to answer 200 as well. */
  until?: 'listening' | 'live' | 'ready' | undefined
  /** Variables beside those of this process. */
  environment?: Readonly<Record<string, string>> | undefined
  /** Default: our own command. */
  program?: ServerProgram | undefined
}

const command = fileURLToPath(new URL('../../cli/dist/main.js', import.meta.url))
const ours: ServerProgram = {
  file: process.execPath,
  args: [
    command,
    'serve',
    '--http-address=127.0.0.1',
    '--http-port=0',
    '--grpc-address=127.0.0.1',
    '--grpc-port=0',
    '--metrics-port=0',
  ],
}
const startTimeoutMs = 90_000
const stopTimeoutMs = 40_000
const pollMs = 50

interface Ports {
  readonly http: number
  readonly grpc: number | undefined
  readonly metrics: number | undefined
}

/** A server in a process of its own: `triton-ts serve` on ports that the system chose, or another program. */
export class SpawnedServer {
  readonly httpPort: number
  /** Undefined when the server serves no gRPC; it is told after the HTTP port, so wait for `ready`. */
  readonly grpcPort: number | undefined
  /** Undefined when the server serves no metrics; it is told after the HTTP port, so wait for `ready`. */
  readonly metricsPort: number | undefined
  readonly #process: ChildProcess
  readonly #exited: Promise<string>
  readonly #readOutput: () => string
  #exit: string | undefined

  private constructor(process: ChildProcess, exited: Promise<string>, ports: Ports, readOutput: () => string) {
    this.#process = process
    this.#readOutput = readOutput
    this.#exited = exited.then((exit) => {
      this.#exit = exit
      return exit
    })
    this.httpPort = ports.http
    this.grpcPort = ports.grpc
    this.metricsPort = ports.metrics
  }

  /** Starts a server. Rejects with the end of its output when it exits or does not get that far within 90 seconds. */
  static async start(options: SpawnOptions): Promise<SpawnedServer> {
    const { modelRepositories, flags = [], until = 'listening', environment, program = ours } = options
    if (program === ours && !existsSync(command)) throw new Error('packages/cli is not built: run npm run build')
    const repositories = modelRepositories.map((directory) => `--model-repository=${directory}`)
    const child = spawn(program.file, [...program.args, ...repositories, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    })
    const exited = new Promise<string>((resolve) => {
      child.on('error', (error) => resolve(error.message))
      child.on('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
    })
    let output = ''
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-100_000)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    try {
      const deadline = Date.now() + startTimeoutMs
      const portOf = (service: string): number | undefined => {
        const port = new RegExp(`Started ${service} at \\S+:(\\d+)`).exec(output)?.[1]
        return port === undefined ? undefined : Number(port)
      }
      const http = await waitFor(() => portOf('HTTPService'), exited, deadline)
      await waitFor(() => isUp(http, until), exited, deadline)
      const ports = { http, grpc: portOf('GRPCInferenceService'), metrics: portOf('Metrics Service') }
      return new SpawnedServer(child, exited, ports, () => output)
    } catch (error) {
      child.kill('SIGKILL')
      await exited
      throw new Error(`${(error as Error).message}; its last words:\n${output.slice(-1000)}`)
    }
  }

  /** What it has printed, the last 100,000 characters. */
  get output(): string {
    return this.#readOutput()
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** How the process ended, undefined while it runs. */
  get exit(): string | undefined {
    return this.#exit
  }

  /** Ends the server as an operator does, with SIGTERM; kills it when it has not drained within 40 seconds. Returns how it ended. */
  async stop(): Promise<string> {
    this.#process.kill('SIGTERM')
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), stopTimeoutMs)
    try {
      return await this.#exited
    } finally {
      clearTimeout(timer)
    }
  }
}

async function waitFor<T>(
  probe: () => T | undefined | Promise<T | undefined>,
  exited: Promise<string>,
  deadline: number,
): Promise<T> {
  let exit: string | undefined
  exited.then((how) => {
    exit = how
  })
  for (;;) {
    const found = await probe()
    if (found !== undefined) return found
    if (exit !== undefined) throw new Error(`the server ended (${exit})`)
    if (Date.now() > deadline) throw new Error(`the server did not start within ${startTimeoutMs / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

/** tritonserver tells its port a moment before it listens there. */
async function isUp(port: number, until: 'listening' | 'live' | 'ready'): Promise<true | undefined> {
  const path = `/v2/health/${until === 'ready' ? 'ready' : 'live'}`
  const answer = await sendRaw(port, { method: 'GET', path, headers: {} }).catch(() => undefined)
  if (answer === undefined) return undefined
  return until === 'listening' || answer.status === 200 ? true : undefined
}
