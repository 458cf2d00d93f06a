import type { Socket } from 'node:net'
import { ReadRegion } from '../memory/read-region.ts'
import type { SharedFile } from '../memory/shared-file.ts'
import { type RegionSizes, WriteRegion } from '../memory/write-region.ts'
import { encodeFrame, FrameReader } from '../wire/frame.ts'
import type { ChildMessage } from '../wire/messages.ts'

/** The two files that a process shares with its child. */
export interface SharedFiles {
  readonly requests: SharedFile
  readonly responses: SharedFile
}

/** Whoever hears what a child sends. */
export interface LinkListener {
  /** Gets each frame, in order; the next one waits for what it returns. */
  take(message: ChildMessage, blobs: Buffer): Promise<void> | undefined
  /** Something came that makes no sense; nothing is taken any more. */
  broken(error: unknown): void
}

/** Frames and tensors to and from a child. */
export class Link {
  /** Undefined where no memory is shared. */
  readonly requests: WriteRegion | undefined
  readonly responses: ReadRegion | undefined
  readonly #socket: Socket
  readonly #files: SharedFiles | undefined
  readonly #listener: LinkListener
  #unwritten: Buffer[] = []
  /** Frames wait for one whose tensors are being copied. */
  #taking: Promise<void> | undefined

  constructor(socket: Socket, files: SharedFiles | undefined, sizes: RegionSizes, listener: LinkListener) {
    this.#socket = socket
    this.#files = files
    this.requests = files && new WriteRegion(files.requests, sizes)
    this.responses = files && new ReadRegion(files.responses)
    this.#listener = listener
    const reader = new FrameReader((header, blobs) => this.#arrive(header, blobs))
    socket.on('data', (chunk) => {
      try {
        reader.push(chunk)
      } catch (error) {
        this.#break(error)
      }
    })
  }

  /** Resolves when everything that has come is taken. */
  async settled(): Promise<void> {
    await this.#taking
  }

  /**
   * Writes a frame; nobody hears it when the child is gone.
   * @param mayWait for others of this turn of the event loop, because the child does not wait for it: calls of the system
   * cost more than small frames.
   */
  write(frame: Buffer, mayWait = false): void {
    this.#unwritten.push(frame)
    if (!mayWait) this.#flush()
    else if (this.#unwritten.length === 1) setImmediate(this.#flush)
  }

  readonly #flush = (): void => {
    const frames = this.#unwritten
    const [first] = frames
    if (first === undefined) return
    this.#unwritten = []
    if (this.#socket.writable) this.#socket.write(frames.length === 1 ? first : Buffer.concat(frames))
  }

  /** Writes a frame without tensors. @param header is the text of a JSON object. */
  send(header: string): void {
    this.write(encodeFrame(`${header.slice(0, -1)}${this.freed()}}`, [], 0))
  }

  /** The member of a header that gives blocks back, with a comma before it; `''` without any. */
  freed(): string {
    const blocks = this.responses?.takeFreed() ?? []
    return blocks.length === 0 ? '' : `,"free":[${blocks.join(',')}]`
  }

  /** The child is gone. */
  close(): void {
    this.#files?.requests.close()
    this.#files?.responses.close()
  }

  #arrive(header: string, blobs: Buffer): void {
    const message = JSON.parse(header) as ChildMessage
    if (this.#taking !== undefined) this.#follow(this.#taking.then(() => this.#one(message, blobs)))
    else {
      const taking = this.#one(message, blobs)
      if (taking !== undefined) this.#follow(taking)
    }
  }

  #follow(taking: Promise<void>): void {
    const following: Promise<void> = taking
      .catch((error: unknown) => this.#break(error))
      .finally(() => {
        if (this.#taking === following) this.#taking = undefined
      })
    this.#taking = following
  }

  #one(message: ChildMessage, blobs: Buffer): Promise<void> | undefined {
    if (message.free !== undefined) for (const offset of message.free) this.requests?.free(offset)
    const taking = this.#listener.take(message, blobs)
    if (this.responses?.isUrgent) this.send('{"k":"free"}')
    return taking
  }

  #break(error: unknown): void {
    this.#socket.removeAllListeners('data').resume()
    this.#listener.broken(error)
  }
}
