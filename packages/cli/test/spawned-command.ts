import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

/** A Node process in the root of the repository. It is killed when it is disposed. */
export class SpawnedNode implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #exit: Promise<number | null>
  stdout = ''
  stderr = ''

  constructor(args: readonly string[]) {
    if (!existsSync(main)) throw new Error('packages/cli is not built: run npm run build')
    this.#child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    const kill = () => this.#child.kill('SIGKILL')
    process.once('exit', kill)
    this.#exit = once(this.#child, 'close').then(([code]) => {
      process.off('exit', kill)
      return code as number | null
    })
  }

  /** The exit code, when all output is there. */
  get exit(): Promise<number | null> {
    return this.#exit
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Waits for a line on stderr; gives the match's first group. */
  until(pattern: RegExp): Promise<string> {
    return this.#until('stderr', pattern)
  }

  /** The same on stdout. */
  says(pattern: RegExp): Promise<string> {
    return this.#until('stdout', pattern)
  }

  async #until(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string> {
    for (;;) {
      const match = pattern.exec(this[stream])
      if (match !== null) return match[1] ?? match[0]
      const more = once(this.#child[stream] as NodeJS.ReadableStream, 'data').then(() => true)
      const ended = this.#exit.then(() => false)
      if (!(await Promise.race([more, ended])) && !pattern.test(this[stream])) {
        throw new Error(`the command ended without ${pattern}:\n${this.stdout}\n${this.stderr}`)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exit
  }
}

/** `triton-ts` as it is published. */
export class SpawnedCommand extends SpawnedNode {
  constructor(...args: string[]) {
    super([main, ...args])
  }
}

/** `triton-ts serve` on free ports. */
export class SpawnedServer extends SpawnedCommand {
  constructor(repository: string, ...flags: string[]) {
    super(
      'serve',
      `--model-repository=${repository}`,
      '--http-address=127.0.0.1',
      '--http-port=0',
      '--grpc-port=0',
      '--metrics-port=0',
      ...flags,
    )
  }

  /** Where HTTP is served, as soon as it is. */
  async url(): Promise<string> {
    return `http://${await this.until(/Started HTTPService at (\S+:\d+)"/)}`
  }

  async metricsUrl(): Promise<string> {
    return `http://${await this.until(/Started Metrics Service at (\S+:\d+)"/)}/metrics`
  }
}
