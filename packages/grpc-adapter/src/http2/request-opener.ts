import type { FloodGuard } from './flood-guard.ts'
import type { ConnectionParts } from './frame-handler.ts'
import type { ReceivedHeaders } from './header-blocks.ts'
import { Http2Error } from './http2-error.ts'
import { Http2Stream } from './http2-stream.ts'
import { areRequestHeaders, areTrailers, contentLengthOf } from './request-headers.ts'
import { initialWindow, streamWindow } from './window.ts'

/** Begins streams by their headers, and finds those that later frames belong to. Source: RFC 9113, sections 5.1 and 8.1. */
export class RequestOpener {
  readonly #parts: ConnectionParts
  readonly #guard: FloodGuard
  #isRefusing = false
  #sendWindow = initialWindow

  constructor(parts: ConnectionParts, guard: FloodGuard) {
    this.#parts = parts
    this.#guard = guard
  }

  /** From now on requests are ignored. */
  refuse(): void {
    this.#isRefusing = true
  }

  /** The headers of a request, or what follows its content. @throws Http2Error for a stream that cannot have them. */
  headers(id: number, received: ReceivedHeaders): void {
    const { streams } = this.#parts
    if (streams.isNew(id)) this.#open(id, received)
    else this.#trailers(id, received)
  }

  /**
   * The stream of a DATA frame; undefined where it is to be ignored.
   * @throws Http2Error for a stream that the client has ended, or that never was.
   */
  dataStream(id: number): Http2Stream | undefined {
    const { streams } = this.#parts
    const stream = streams.find(id)
    if (stream !== undefined) return stream
    if (streams.wasReset(id) === false) throw new Http2Error('STREAM_CLOSED', `DATA of stream ${id}, which has ended`)
    this.#guard.count('frames of streams that have ended')
    return undefined
  }

  /** The client takes another number of bytes of each stream that it does not speak of. Source: RFC 9113, section 6.9.2. */
  resizeWindows(size: number): void {
    const change = size - this.#sendWindow
    this.#sendWindow = size
    for (const stream of this.#parts.streams.all()) {
      if (!stream.moveSendWindow(change)) throw new Http2Error('FLOW_CONTROL_ERROR', 'a window beyond its limit')
    }
  }

  #open(id: number, { headers, endsStream }: ReceivedHeaders): void {
    const { streams, output, sender, limits, listener } = this.#parts
    // After the last GOAWAY they are not wanted; their client has been told.
    if (this.#isRefusing) {
      streams.ignore(id)
      return
    }
    const contentLength = headers && contentLengthOf(headers)
    const start = { receiveWindow: streamWindow, sendWindow: this.#sendWindow, contentLength }
    const stream = new Http2Stream(id, start, output, sender, streams.forget)
    const isTooMany = streams.size >= limits.maxConcurrentStreams
    streams.add(stream)
    if (isTooMany) stream.reset('REFUSED_STREAM')
    else if (headers === undefined) stream.reset('ENHANCE_YOUR_CALM')
    else if (Number.isNaN(contentLength) || !areRequestHeaders(headers)) stream.reset('PROTOCOL_ERROR')
    else {
      listener.stream(stream, headers)
      if (endsStream && !stream.isClosed) stream.complete()
      return
    }
    this.#guard.count('requests that cannot be')
  }

  #trailers(id: number, { headers, endsStream }: ReceivedHeaders): void {
    const { streams } = this.#parts
    const stream = streams.find(id)
    if (stream === undefined) this.#expectLate(id)
    else if (stream.isComplete) stream.reset('STREAM_CLOSED')
    else if (headers === undefined) stream.reset('ENHANCE_YOUR_CALM')
    else if (!endsStream || !areTrailers(headers)) stream.reset('PROTOCOL_ERROR')
    else stream.complete()
  }

  /** Headers of a stream that is not there are borne only where this side gave it up while they were on their way. */
  #expectLate(id: number): void {
    const wasReset = this.#parts.streams.wasReset(id)
    if (wasReset === undefined) throw new Http2Error('PROTOCOL_ERROR', `stream ${id} begins after later ones`)
    if (!wasReset) throw new Http2Error('STREAM_CLOSED', `headers of stream ${id}, which has ended`)
    this.#guard.count('frames of streams that have ended')
  }
}
