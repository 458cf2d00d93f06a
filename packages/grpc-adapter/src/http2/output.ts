import type { Socket } from 'node:net'

/** Bytes that wait for the socket above which streams are held back. */
const highWater = 256 * 1024

/** The same above which a client is not heard: more than streams send there are answers that are not held back. */
const overfull = 1024 * 1024

/** What goes out in one turn up to this is copied together: one system call, and one buffer for it. */
const copiedSize = 32 * 1024

/** What a connection sends: all of one turn of the event loop goes together at its end. */
export class Output {
  readonly #socket: Socket
  readonly #onRoom: () => void
  #parts: Uint8Array[] = []
  #size = 0

  /** @param onRoom called when there is room again. */
  constructor(socket: Socket, onRoom: () => void) {
    this.#socket = socket
    this.#onRoom = onRoom
    socket.on('drain', onRoom)
  }

  /** Whether the client is to take something before more is sent. */
  get isFull(): boolean {
    return this.#size + this.#socket.writableLength >= highWater
  }

  /** Whether the client takes nothing of what it asks for. */
  get isOverfull(): boolean {
    return this.#size + this.#socket.writableLength >= overfull
  }

  send(bytes: Uint8Array): void {
    if (this.#parts.length === 0) setImmediate(this.#flush)
    this.#parts.push(bytes)
    this.#size += bytes.byteLength
  }

  /** Sends what waits and says that nothing follows. */
  end(): void {
    this.#flush()
    this.#socket.end()
  }

  readonly #flush = (): void => {
    const parts = this.#parts
    const size = this.#size
    const socket = this.#socket
    this.#parts = []
    this.#size = 0
    const [first] = parts
    if (first === undefined || !socket.writable) return
    if (parts.length === 1) socket.write(first)
    else if (size <= copiedSize) socket.write(Buffer.concat(parts, size))
    else {
      socket.cork()
      for (const part of parts) socket.write(part)
      socket.uncork()
    }
    if (!socket.writableNeedDrain) this.#onRoom()
  }
}
