import { EndedStreams } from './ended-streams.ts'
import { Http2Error } from './http2-error.ts'
import type { Http2Stream } from './http2-stream.ts'

/** The streams of a connection. Source: RFC 9113, sections 5.1 and 5.1.1. */
export class Streams {
  readonly #open = new Map<number, Http2Stream>()
  readonly #ended = new EndedStreams()
  readonly #onIdle: () => void
  /** The latest stream that came, and the latest that was served. */
  #latest = 0
  #served = 0

  /** @param onIdle called when the last one that was open has ended. */
  constructor(onIdle: () => void) {
    this.#onIdle = onIdle
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size
  }

  /** The latest that was served, as GOAWAY names it. */
  get lastServed(): number {
    return this.#served
  }

  /** Those that are open, apart from what happens to them. */
  all(): Http2Stream[] {
    return [...this.#open.values()]
  }

  /** @returns whether a request begins with this number. @throws Http2Error PROTOCOL_ERROR for one that is not a client's. */
  isNew(id: number): boolean {
    if (id % 2 === 0) throw new Http2Error('PROTOCOL_ERROR', `stream ${id} is not a client's`)
    return id > this.#latest
  }

  add(stream: Http2Stream): void {
    this.#latest = stream.id
    this.#served = stream.id
    this.#open.set(stream.id, stream)
  }

  /** A request comes that is not wanted any more, nor anything that belongs to it. */
  ignore(id: number): void {
    this.#latest = id
    this.#ended.add(id, true)
  }

  /** A stream, unless it has ended. @throws Http2Error PROTOCOL_ERROR for one that never was. */
  find(id: number): Http2Stream | undefined {
    const stream = this.#open.get(id)
    if (stream !== undefined) return stream
    if (id % 2 === 0 || id > this.#latest) {
      throw new Http2Error('PROTOCOL_ERROR', `a frame of stream ${id}, which is not open`)
    }
    return undefined
  }

  /** As `EndedStreams.wasReset`. */
  wasReset(id: number): boolean | undefined {
    return this.#ended.wasReset(id)
  }

  /** A stream has ended. */
  readonly forget = (stream: Http2Stream): void => {
    this.#open.delete(stream.id)
    this.#ended.add(stream.id, stream.wasReset)
    if (this.#open.size === 0) this.#onIdle()
  }
}
