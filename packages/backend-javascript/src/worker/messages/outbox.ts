import type { Transferable } from 'node:worker_threads'

/** What can send to another thread: a port, or a worker. */
interface Post {
  postMessage(messages: readonly unknown[], transfer: readonly Transferable[]): void
}

/** Sends what comes up in one turn together: waking a thread costs more than a message. */
export class Outbox<M> {
  readonly #post: Post
  #messages: M[] = []
  #buffers: ArrayBuffer[] = []

  constructor(post: Post) {
    this.#post = post
  }

  readonly send = (message: M, transfer: readonly ArrayBuffer[] = []): void => {
    if (this.#messages.length === 0) queueMicrotask(this.#flush)
    this.#messages.push(message)
    for (const buffer of transfer) this.#buffers.push(buffer)
  }

  readonly #flush = (): void => {
    const messages = this.#messages
    const buffers = this.#buffers
    this.#messages = []
    this.#buffers = []
    this.#post.postMessage(messages, buffers)
  }
}
