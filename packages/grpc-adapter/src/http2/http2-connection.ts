import type { Socket } from 'node:net'
import type { Clock, Timer } from '@triton-ts/core'
import type { ConnectionListener, Http2Limits } from './connection-listener.ts'
import { DataSender } from './data-sender.ts'
import { frame, frameTypes, goAwayFrame } from './frame.ts'
import { FrameHandler } from './frame-handler.ts'
import { FrameReader } from './frame-reader.ts'
import { Http2Error, type Http2ErrorCode } from './http2-error.ts'
import { Output } from './output.ts'
import { writeSettings } from './peer-settings.ts'
import { Streams } from './streams.ts'
import { maxWindow, streamWindow } from './window.ts'

/** Bytes of a frame at most: larger ones mean fewer pieces of a large message. */
const maxFrameSize = 64 * 1024

/** Milliseconds that a client has to close its side. */
const lingerTime = 1000

/** A connection of HTTP/2, on the side of the server: from its socket to its end. Source: RFC 9113. */
export class Http2Connection {
  readonly #socket: Socket
  readonly #listener: ConnectionListener
  readonly #clock: Clock
  readonly #output: Output
  readonly #sender: DataSender
  readonly #streams = new Streams(() => this.#endIfIdle())
  readonly #handler: FrameHandler
  readonly #reader: FrameReader
  #linger: Timer | undefined
  #isEnding = false
  #isClosed = false

  constructor(socket: Socket, limits: Http2Limits, listener: ConnectionListener, clock: Clock) {
    this.#socket = socket
    this.#clock = clock
    this.#listener = listener
    this.#output = new Output(socket, () => this.#makeRoom())
    this.#sender = new DataSender(this.#output, () => listener.sent())
    socket.setNoDelay(true)
    // What breaks a connection closes it, and that is what counts.
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('close', () => this.#close())
    this.#output.send(frame(frameTypes.SETTINGS, 0, 0, settingsOf(limits)))
    const [streams, output, sender] = [this.#streams, this.#output, this.#sender]
    this.#handler = new FrameHandler({ streams, output, sender, limits, listener, clock })
    this.#reader = new FrameReader(this.#handler, maxFrameSize)
  }

  /** The address of the client. */
  get peer(): string {
    return this.#socket.remoteAddress ?? ''
  }

  get bytesRead(): number {
    return this.#socket.bytesRead
  }

  /** How many requests are not answered yet. */
  get streams(): number {
    return this.#streams.size
  }

  /** Asks the client whether it is there. */
  ping(answered: () => void): void {
    this.#handler.pings.ask(answered)
  }

  /** Says that soon no more requests are taken. Source: RFC 9113, section 6.8. */
  announceEnd(): void {
    if (!this.#isEnding) this.#output.send(goAwayFrame('NO_ERROR', maxWindow, ''))
  }

  /** Takes no more requests, and closes when those that run are answered. */
  endWhenIdle(): void {
    if (this.#isEnding) return
    this.#stopRequests('NO_ERROR', '')
    this.#endIfIdle()
  }

  /** Tells the client why and closes. */
  fail(code: Http2ErrorCode, message: string): void {
    this.#stopRequests(code, message)
    this.#end()
    for (const stream of this.#streams.all()) stream.close()
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

  #stopRequests(code: Http2ErrorCode, message: string): void {
    this.#isEnding = true
    this.#handler.refuseRequests()
    this.#output.send(goAwayFrame(code, this.#streams.lastServed, message))
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
    for (const stream of this.#streams.all()) stream.close()
    this.#listener.close()
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
