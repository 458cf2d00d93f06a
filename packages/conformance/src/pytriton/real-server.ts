import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerChoice } from '../replay.ts'
import type { Pytriton } from './pytriton.ts'

/** The real tritonserver, with backends of NVIDIA's and ours, for tests and benchmarks to start. */
export class RealServer implements AsyncDisposable {
  readonly choice: ServerChoice
  /** Where it will listen. */
  readonly httpPort: number
  readonly #directory: string

  private constructor(choice: ServerChoice, httpPort: number, directory: string) {
    this.choice = choice
    this.httpPort = httpPort
    this.#directory = directory
  }

  /**
   * @param backends directories by name of the backend.
   * @param environment of the server beside its own.
   */
  static async prepare(
    { server, caches, environment: own }: Pytriton,
    backends: Readonly<Record<string, string>>,
    environment: Readonly<Record<string, string>>,
  ): Promise<RealServer> {
    const directory = await mkdtemp(join(tmpdir(), 'triton-ts-backends-'))
    for (const [name, path] of Object.entries(backends)) await symlink(path, join(directory, name))
    const httpPort = await freePort()
    const args = [
      '--http-address=127.0.0.1',
      `--http-port=${httpPort}`,
      `--metrics-port=${await freePort()}`,
      '--allow-grpc=false',
      // Sequences that nobody ended would hold the stop up.
      '--exit-timeout-secs=1',
      `--backend-directory=${directory}`,
      `--cache-directory=${caches}`,
    ]
    const choice = { program: { file: server, args }, environment: { ...own, ...environment }, answersEarly: true }
    return new RealServer(choice, httpPort, directory)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.#directory, { recursive: true, force: true })
  }
}

/** tritonserver refuses port 0. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
