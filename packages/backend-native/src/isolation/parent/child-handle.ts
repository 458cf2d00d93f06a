import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Clock } from '@triton-ts/core'
import { childEnd, emitted, type ProcessEnd, settlesWithin } from '@triton-ts/core/backend'
import { descriptors } from '../messages/descriptors.ts'
import type { ChildMessage, ParentMessage } from '../messages/messages.ts'

/** How long a process may take that was asked to end, and one that got SIGTERM. */
const patienceMilliseconds = { SIGTERM: 5000, SIGKILL: 5000 } as const

/** A child process. It keeps this process alive only while it is held, and ends with it. */
export class ChildHandle {
  readonly stdout: Socket
  readonly stderr: Socket
  readonly queries: Socket
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
    this.queries = this.#socket(descriptors.queries)
    // It ends only when it is read.
    this.#socket(descriptors.life).resume()
    child.on('error', ignore)
    this.ended = this.#whenEnded()
    this.#setAlive(false)
  }

  /** @throws Error of the system when there cannot be another process. */
  static async start(entry: URL, clock: Clock): Promise<ChildHandle> {
    const child = fork(entry, [], {
      serialization: 'advanced',
      // Flags such as --eval or --import of this process are not for the child.
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe', 'pipe'],
    })
    await once(child, 'spawn')
    return new ChildHandle(child, clock)
  }

  onMessage(listener: (message: ChildMessage) => void): void {
    this.#child.on('message', listener)
  }

  /** Does nothing when the child is gone. @throws Error for what cannot be sent. */
  send(message: ParentMessage): void {
    if (this.#child.connected) this.#child.send(message, ignore)
  }

  /** Something is waited for. */
  hold(): void {
    if (this.#holders++ === 0) this.#setAlive(true)
  }

  letGo(): void {
    if (--this.#holders === 0) this.#setAlive(false)
  }

  /** Ends the child, by force if it does not want to. */
  async stop(): Promise<void> {
    this.hold()
    if (this.#child.connected) this.#child.disconnect()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await settlesWithin(this.ended, patienceMilliseconds[signal], this.#clock)) break
      this.#child.kill(signal)
    }
    await this.ended
    this.letGo()
  }

  #setAlive(isAlive: boolean): void {
    const method = isAlive ? 'ref' : 'unref'
    this.#child[method]()
    this.#child.channel?.[method]()
  }

  #socket(descriptor: number): Socket {
    const socket = this.#child.stdio[descriptor] as Socket
    // A broken pipe means that the child is gone, which is heard elsewhere.
    return socket.on('error', ignore).unref()
  }

  #whenEnded(): Promise<ProcessEnd> {
    const child = this.#child
    const streams = [...child.stdio].filter((stream) => stream !== null && stream !== undefined)
    // The `close` of a child does not come when this side disconnected.
    return childEnd(child, streams, this.#clock, [emitted(child, 'disconnect')])
  }
}

const ignore = (): void => {}
