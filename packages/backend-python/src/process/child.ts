import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Clock } from '@triton-ts/core'
import { childEnd, emitted, type ProcessEnd, settlesWithin } from '@triton-ts/core/backend'

/** How long a process may take that was asked to end. */
const patienceMilliseconds = 3000

export interface ChildCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  readonly directory: string
  /** Handed over as descriptors from 4 on. */
  readonly descriptors: readonly (number | 'ignore')[]
}

/** A child process. It keeps this process alive only while it is held, and ends with it. */
export class Child {
  readonly stdout: Socket
  readonly stderr: Socket
  /** Descriptor 3 of the child. */
  readonly socket: Socket
  /** It is gone, and everything that it sent and printed has come. */
  readonly ended: Promise<ProcessEnd>
  readonly #child: ChildProcess
  readonly #clock: Clock
  #holders = 0

  private constructor(child: ChildProcess, clock: Clock) {
    this.#child = child
    this.#clock = clock
    this.stdout = this.#socket(1)
    this.stderr = this.#socket(2)
    this.socket = this.#socket(3)
    child.on('error', ignore)
    child.unref()
    this.ended = this.#whenEnded()
  }

  /** @throws Error of the system when there cannot be such a process. */
  static async start({ file, args, environment, directory, descriptors }: ChildCommand, clock: Clock): Promise<Child> {
    const child = spawn(file, args, {
      env: environment,
      cwd: directory,
      // Ctrl-C in a terminal is for this process; the child hears of the end from it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...descriptors],
    })
    await once(child, 'spawn')
    return new Child(child, clock)
  }

  get pid(): number {
    return this.#child.pid as number
  }

  /** Something is waited for. */
  hold(): void {
    if (this.#holders++ === 0) this.socket.ref()
  }

  letGo(): void {
    if (--this.#holders === 0) this.socket.unref()
  }

  /** Lets it end, and ends it when it does not, or at once with `force`. */
  async stop({ force = false }: { readonly force?: boolean } = {}): Promise<void> {
    this.#child.ref()
    if (!force) {
      this.socket.end()
      await settlesWithin(this.ended, patienceMilliseconds, this.#clock)
    }
    this.kill()
    await this.ended
  }

  /** Does nothing when it is gone. */
  kill(): void {
    const { exitCode, signalCode } = this.#child
    if (exitCode !== null || signalCode !== null) return
    try {
      // With what it started itself: it leads its group.
      process.kill(-this.pid, 'SIGKILL')
    } catch {
      this.#child.kill('SIGKILL')
    }
  }

  #socket(descriptor: number): Socket {
    const socket = this.#child.stdio[descriptor] as Socket
    // A broken pipe means that the child is gone, which is heard elsewhere.
    return socket.on('error', ignore).unref()
  }

  #whenEnded(): Promise<ProcessEnd> {
    const child = this.#child
    const exited = emitted(child, 'exit')
    // Without its socket it is of no use.
    this.socket.once('close', () => {
      child.ref()
      void settlesWithin(exited, patienceMilliseconds, this.#clock).then(() => this.kill())
    })
    return childEnd(child, [this.stdout, this.stderr, this.socket], this.#clock)
  }
}

const ignore = (): void => {}
