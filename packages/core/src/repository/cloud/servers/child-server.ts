import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const startTimeoutMs = 60_000

/** A server in a child process, with a directory of its own that goes with it. */
export class ChildServer {
  readonly #child: ChildProcess
  readonly #directory: string
  /** When the tests end before they come to `stop`. */
  readonly #onExit = (): void => {
    this.#child.kill('SIGKILL')
  }

  /**
   * Starts a server and waits until it prints `ready`.
   * @param args made from the directory that the server may write to.
   */
  static async start(
    command: string,
    args: (directory: string) => readonly string[],
    ready: RegExp,
    environment: NodeJS.ProcessEnv = {},
  ): Promise<{ child: ChildServer; match: RegExpExecArray }> {
    const directory = await mkdtemp(join(tmpdir(), 'triton-ts-cloud-'))
    const child = spawn(command, args(directory), { env: { ...process.env, ...environment }, cwd: directory })
    const server = new ChildServer(child, directory)
    try {
      return { child: server, match: await printed(child, ready) }
    } catch (error) {
      await server.stop()
      throw error
    }
  }

  private constructor(child: ChildProcess, directory: string) {
    this.#child = child
    this.#directory = directory
    process.once('exit', this.#onExit)
  }

  async stop(): Promise<void> {
    process.off('exit', this.#onExit)
    const isRunning = this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
    if (isRunning && this.#child.kill('SIGKILL')) await once(this.#child, 'exit')
    await rm(this.#directory, { recursive: true, force: true })
  }
}

function printed(child: ChildProcess, ready: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = ''
    const hear = (chunk: Buffer): void => {
      text += chunk
      const match = ready.exec(text)
      if (match === null) return
      // What it prints from now on is read and forgotten.
      for (const output of [child.stdout, child.stderr]) output?.off('data', hear).resume()
      resolve(match)
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    const tooLate = (): void => reject(new Error(`${child.spawnfile} does not become ready: ${text}`))
    setTimeout(tooLate, startTimeoutMs).unref()
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`${child.spawnfile} ended before it was ready: ${text}`)))
  })
}

/** For servers that cannot choose a port themselves: one that nobody uses now, and another if somebody takes it meanwhile. */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  return start(await freePort()).catch(async () => start(await freePort()))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
