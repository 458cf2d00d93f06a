import { Worker } from 'node:worker_threads'
import { LastLines } from '@triton-ts/core/backend'
import type { ServerMessage, WorkerMessage, WorkerSpec } from '../messages/messages.ts'
import { Outbox } from '../messages/outbox.ts'
import { workerEntry } from '../worker-entry.ts'
import type { ThreadEnd } from './thread-end.ts'

/** A worker thread. It keeps the process alive only while it is held. */
export class WorkerThread {
  readonly ended: Promise<ThreadEnd>
  readonly #worker: Worker
  readonly #outbox: Outbox<ServerMessage>
  #holders = 0

  /**
   * @param maxHeap megabytes.
   * @param hear is told each line that the thread prints.
   */
  constructor(
    name: string,
    spec: WorkerSpec,
    { maxHeap, hear }: { readonly maxHeap: number | undefined; hear(line: string, stream: 'out' | 'err'): void },
  ) {
    this.#worker = new Worker(workerEntry, {
      name,
      workerData: spec,
      stdout: true,
      stderr: true,
      // Flags such as --eval or --import of this thread are not for the worker.
      execArgv: [],
      ...(maxHeap !== undefined && { resourceLimits: { maxOldGenerationSizeMb: maxHeap } }),
    })
    this.#outbox = new Outbox(this.#worker)
    new LastLines(this.#worker.stdout, (line) => hear(line, 'out'))
    new LastLines(this.#worker.stderr, (line) => hear(line, 'err'))
    let error: unknown
    this.#worker.on('error', (thrown) => {
      error = thrown
    })
    this.ended = new Promise((resolve) => this.#worker.once('exit', (code) => resolve({ error, code })))
    this.#worker.unref()
  }

  onMessages(listener: (messages: readonly WorkerMessage[]) => void): void {
    this.#worker.on('message', listener)
    // A listener would hold the process.
    if (this.#holders === 0) this.#worker.unref()
  }

  send(message: ServerMessage, transfer?: readonly ArrayBuffer[]): void {
    this.#outbox.send(message, transfer)
  }

  /** Something is waited for. */
  hold(): void {
    if (this.#holders++ === 0) this.#worker.ref()
  }

  letGo(): void {
    if (--this.#holders === 0) this.#worker.unref()
  }

  async terminate(): Promise<void> {
    this.hold()
    await this.#worker.terminate()
    this.letGo()
  }
}
