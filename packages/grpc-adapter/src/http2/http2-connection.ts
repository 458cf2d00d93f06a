import type { Socket } from 'node:net'
import type { Clock, Timer } from '@triton-ts/core'
import { DataReceiver } from './data-receiver.ts'
import { DataSender } from './data-sender.ts'
import { FloodGuard } from './flood-guard.ts'
import { frame, frameFlags, frameTypes } from './frame.ts'
import { type FrameListener, FrameReader } from './frame-reader.ts'
import { HeaderBlocks } from './header-blocks.ts'
import { errorCodes, Http2Error, type Http2ErrorCode } from './http2-error.ts'
import { Http2Stream } from './http2-stream.ts'
import { Output } from './output.ts'
import { readSettings, writeSettings } from './peer-settings.ts'
import { areRequestHeaders } from './request-headers.ts'

/** Bytes of one request that may come before anything of it is taken. */
const streamWindow = 1024 * 1024

/** Larger frames mean fewer pieces of a large message. */
const maxFrameSize = 64 * 1024

/** Milliseconds that a client has to close its side. */
const lingerTime = 1000

/** What a client may take. */
export interface Http2Limits {
  readonly maxConcurrentStreams: number
  readonly maxHeaderListSize: number
}

/** Hears of a connection. */
export interface ConnectionListener {
  /** The first frame has come. */
  open(): void
  /** A request, whose listener is to be set at once. @param headers names and values in turn. */
  stream(stream: Http2Stream, headers: string[]): void
  /** The client asks whether the server is there, which is answered already. */
  ping(): void
  /** Something went wrong on this side; the connection ends. */
  fault(error: unknown): void
  close(): void
}

/** A connection of HTTP/2, on the side of the server. Source: RFC 9113. */
export class Http2Connection implements FrameListener {
  readonly #socket: Socket
  readonly #limits: Http2Limits
  readonly #listener: ConnectionListener
  readonly #reader = new FrameReader(this, maxFrameSize)
  readonly #blocks: HeaderBlocks
  readonly #guard: FloodGuard
  readonly #output: Output
  readonly #sender: DataSender
  readonly #receiver: DataReceiver
  readonly #streams = new Map<number, Http2Stream>()
  readonly #pings: (() => void)[] = []
  readonly #clock: Clock
  #linger: Timer | undefined
  #isOpen = false
  #isEnding = false
  #isClosed = false
  /** The last stream that is served, and the last one that came. */
  #lastStream = 0
  #seenStream = 0
  #initialWindow = 65_535

  constructor(socket: Socket, limits: Http2Limits, listener: ConnectionListener, clock: Clock) {
    this.#socket = socket
    this.#limits = limits
    this.#clock = clock
    this.#listener = listener
    this.#blocks = new HeaderBlocks(limits.maxHeaderListSize)
    this.#guard = new FloodGuard(clock)
    this.#output = new Output(socket, () => this.#makeRoom())
    this.#sender = new DataSender(this.#output)
    socket.setNoDelay(true)
    // What breaks a connection closes it, and that is what counts.
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('close', () => this.#close())
    this.#output.send(frame(frameTypes.SETTINGS, 0, 0, settingsOf(limits)))
    this.#receiver = new DataReceiver(this.#output)
  }

  /** The address of the client. */
  get peer(): string {
    return this.#socket.remoteAddress ?? ''
  }

  get bytesRead(): number {
    return this.#socket.bytesRead
  }

  get streams(): number {
    return this.#streams.size
  }

  /** Asks the client whether it is there. */
  ping(answered: () => void): void {
    this.#pings.push(answered)
    this.#output.send(frame(frameTypes.PING, 0, 0, Buffer.alloc(8)))
  }

  /** Says that soon no more requests are taken. Source: RFC 9113, section 6.8. */
  announceEnd(): void {
    this.#goAway('NO_ERROR', 2 ** 31 - 1)
  }

  /** Takes no more requests, and closes when those that run are answered. */
  endWhenIdle(): void {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#goAway('NO_ERROR', this.#lastStream)
    this.#endIfIdle()
  }

  /** Tells the client why and closes. */
  fail(code: Http2ErrorCode, message: string): void {
    this.#goAway(code, this.#lastStream, message)
    this.#isEnding = true
    this.#end()
    for (const stream of [...this.#streams.values()]) stream.close()
  }

  /** Closes at once. */
  destroy(): void {
    this.#socket.destroy()
    this.#close()
  }

  #read(chunk: Buffer): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return
    try {
      this.#reader.read(chunk)
    } catch (error) {
      if (error instanceof Http2Error) this.fail(error.code, error.message)
      else {
        this.#listener.fault(error)
        this.fail('INTERNAL_ERROR', 'internal error')
      }
    }
    // A client that does not take its answers is not asked for more to answer.
    if (this.#output.isOverfull) this.#socket.pause()
  }

  #makeRoom(): void {
    this.#sender.run()
    if (this.#socket.isPaused() && !this.#output.isOverfull) this.#socket.resume()
  }

  #goAway(code: Http2ErrorCode, lastStream: number, message = ''): void {
    const payload = Buffer.alloc(8 + Buffer.byteLength(message))
    payload.writeUInt32BE(lastStream, 0)
    payload.writeUInt32BE(errorCodes[code], 4)
    payload.write(message, 8)
    this.#output.send(frame(frameTypes.GOAWAY, 0, 0, payload))
  }

  #endIfIdle(): void {
    if (this.#isEnding && this.#streams.size === 0) this.#end()
  }

  /** What the client still sends is read, since closing with it unread would take back what was sent. */
  #end(): void {
    if (this.#socket.writableEnded) return
    this.#output.end()
    this.#socket.resume()
    this.#linger = this.#clock.schedule(() => this.destroy(), lingerTime)
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#linger?.cancel()
    for (const stream of [...this.#streams.values()]) stream.close()
    this.#listener.close()
  }

  frame(type: number, flags: number, id: number, payload: Buffer): void {
    if (!this.#isOpen) this.#open(type)
    this.#blocks.expect(type, id)
    switch (type) {
      case frameTypes.HEADERS:
      case frameTypes.CONTINUATION: {
        const block = this.#blocks.read(type, flags, id, payload)
        if (block !== undefined) this.#headers(id, block.headers, block.endsStream)
        break
      }
      case frameTypes.RST_STREAM:
        this.#reset(id, payload)
        break
      case frameTypes.SETTINGS:
        this.#settings(flags, id, payload)
        break
      case frameTypes.PING:
        this.#ping(flags, id, payload)
        break
      case frameTypes.WINDOW_UPDATE:
        this.#windowUpdate(id, payload)
        break
      case frameTypes.PUSH_PROMISE:
        throw new Http2Error('PROTOCOL_ERROR', 'a push of a client')
      case frameTypes.GOAWAY:
        if (id !== 0) throw new Http2Error('PROTOCOL_ERROR', 'a GOAWAY of a stream')
        break
      default:
        this.#guard.count('frames without use')
    }
  }

  data(flags: number, id: number, length: number): void {
    if (!this.#isOpen) this.#open(frameTypes.DATA)
    this.#blocks.expect(frameTypes.DATA, id)
    if (length === 0) this.#guard.count('empty frames')
    this.#receiver.begin(this.#find(id), flags, length)
  }

  dataPiece(piece: Buffer, isLast: boolean): void {
    this.#receiver.add(piece, isLast)
  }

  #open(type: number): void {
    if (type !== frameTypes.SETTINGS) throw new Http2Error('PROTOCOL_ERROR', 'the first frame is no SETTINGS')
    this.#isOpen = true
    this.#listener.open()
  }

  /** The stream, if it is still there. @throws Http2Error for one that never was. */
  #find(id: number): Http2Stream | undefined {
    if (id === 0 || id % 2 === 0 || id > this.#seenStream) {
      throw new Http2Error('PROTOCOL_ERROR', `a frame of stream ${id}, which is not open`)
    }
    return this.#streams.get(id)
  }

  #headers(id: number, headers: string[] | undefined, endsStream: boolean): void {
    if (id % 2 === 0) throw new Http2Error('PROTOCOL_ERROR', `stream ${id} is not a client's`)
    if (id > this.#seenStream) this.#begin(id, headers, endsStream)
    else this.#trailers(this.#streams.get(id), endsStream)
  }

  #begin(id: number, headers: string[] | undefined, endsStream: boolean): void {
    this.#seenStream = id
    // After the last GOAWAY they are not wanted; their client has been told.
    if (this.#isEnding) return
    this.#lastStream = id
    const windows = { receiveWindow: streamWindow, sendWindow: this.#initialWindow }
    const stream = new Http2Stream(id, windows, this.#output, this.#sender, this.#forget)
    if (this.#streams.size >= this.#limits.maxConcurrentStreams) stream.reset('REFUSED_STREAM')
    else if (headers === undefined) stream.reset('ENHANCE_YOUR_CALM')
    else if (!areRequestHeaders(headers)) stream.reset('PROTOCOL_ERROR')
    else {
      this.#streams.set(id, stream)
      this.#listener.stream(stream, headers)
      if (endsStream && !stream.isClosed) stream.complete()
      return
    }
    this.#guard.count('requests that cannot be')
  }

  #trailers(stream: Http2Stream | undefined, endsStream: boolean): void {
    if (stream === undefined) return
    if (stream.isComplete || !endsStream) stream.reset('PROTOCOL_ERROR')
    else stream.complete()
  }

  readonly #forget = (stream: Http2Stream): void => {
    this.#streams.delete(stream.id)
    this.#endIfIdle()
  }

  #reset(id: number, payload: Buffer): void {
    expectSize(payload, 4)
    const stream = this.#find(id)
    if (stream === undefined) return
    stream.close()
    this.#guard.count('requests that are reset')
  }

  #settings(flags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw new Http2Error('PROTOCOL_ERROR', 'settings of a stream')
    if ((flags & frameFlags.ACK) !== 0) {
      expectSize(payload, 0)
      return
    }
    this.#guard.count('settings')
    const { initialWindowSize, maxFrameSize } = readSettings(payload)
    if (maxFrameSize !== undefined) this.#sender.maxFrameSize = maxFrameSize
    if (initialWindowSize !== undefined) {
      const change = initialWindowSize - this.#initialWindow
      this.#initialWindow = initialWindowSize
      for (const stream of [...this.#streams.values()]) {
        if (!stream.moveSendWindow(change)) throw new Http2Error('FLOW_CONTROL_ERROR', 'a window beyond its limit')
      }
    }
    this.#output.send(frame(frameTypes.SETTINGS, frameFlags.ACK, 0))
  }

  #ping(flags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw new Http2Error('PROTOCOL_ERROR', 'a ping of a stream')
    expectSize(payload, 8)
    if ((flags & frameFlags.ACK) !== 0) {
      this.#pings.shift()?.()
      return
    }
    this.#output.send(frame(frameTypes.PING, frameFlags.ACK, 0, payload))
    this.#listener.ping()
  }

  #windowUpdate(id: number, payload: Buffer): void {
    expectSize(payload, 4)
    const change = payload.readUInt32BE(0) & 0x7fffffff
    const stream = id === 0 ? undefined : this.#find(id)
    if (id === 0) {
      if (change === 0) throw new Http2Error('PROTOCOL_ERROR', 'a window update of nothing')
      this.#sender.window += change
      if (this.#sender.window > 2 ** 31 - 1) throw new Http2Error('FLOW_CONTROL_ERROR', 'a window beyond its limit')
      this.#sender.run()
    } else if (change === 0) stream?.reset('PROTOCOL_ERROR')
    else if (stream?.moveSendWindow(change) === false) stream.reset('FLOW_CONTROL_ERROR')
  }
}

function settingsOf({ maxConcurrentStreams, maxHeaderListSize }: Http2Limits): Buffer {
  return writeSettings({
    MAX_CONCURRENT_STREAMS: maxConcurrentStreams,
    INITIAL_WINDOW_SIZE: streamWindow,
    MAX_FRAME_SIZE: maxFrameSize,
    MAX_HEADER_LIST_SIZE: maxHeaderListSize,
  })
}

/** @throws Http2Error FRAME_SIZE_ERROR */
function expectSize(payload: Buffer, size: number): void {
  if (payload.byteLength !== size) throw new Http2Error('FRAME_SIZE_ERROR', `a payload of ${payload.byteLength} bytes`)
}
