import type { Clock } from '@triton-ts/core'
import type { ConnectionListener, Http2Limits } from './connection-listener.ts'
import { DataReceiver } from './data-receiver.ts'
import type { DataSender } from './data-sender.ts'
import { FloodGuard } from './flood-guard.ts'
import { frame, frameFlags, frameTypes } from './frame.ts'
import type { FrameListener } from './frame-reader.ts'
import { HeaderBlocks } from './header-blocks.ts'
import { Http2Error } from './http2-error.ts'
import type { Output } from './output.ts'
import { expectDependency, expectSize } from './payload.ts'
import { readSettings } from './peer-settings.ts'
import { Pings } from './pings.ts'
import { RequestOpener } from './request-opener.ts'
import type { Streams } from './streams.ts'

/** The parts of a connection that frames act on. */
export interface ConnectionParts {
  readonly streams: Streams
  readonly output: Output
  readonly sender: DataSender
  readonly limits: Http2Limits
  readonly listener: ConnectionListener
  readonly clock: Clock
}

/** Does what the frames of a client ask for. Its methods throw Http2Error for what ends the connection. */
export class FrameHandler implements FrameListener {
  readonly pings: Pings
  readonly #parts: ConnectionParts
  readonly #blocks: HeaderBlocks
  readonly #guard: FloodGuard
  readonly #receiver: DataReceiver
  readonly #requests: RequestOpener
  #isOpen = false

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    this.pings = new Pings(parts.output, () => parts.listener.ping())
    this.#blocks = new HeaderBlocks(parts.limits.maxHeaderListSize)
    this.#guard = new FloodGuard(parts.clock)
    this.#receiver = new DataReceiver(parts.output)
    this.#requests = new RequestOpener(parts, this.#guard)
  }

  /** Has requests ignored that come from now on. */
  refuseRequests(): void {
    this.#requests.refuse()
  }

  frame(type: number, flags: number, id: number, payload: Buffer): void {
    this.#expect(type, id)
    switch (type) {
      case frameTypes.HEADERS:
      case frameTypes.CONTINUATION: {
        const block = this.#blocks.read(type, flags, id, payload)
        if (block !== undefined) this.#requests.headers(id, block)
        break
      }
      case frameTypes.PRIORITY:
        this.#priority(id, payload)
        break
      case frameTypes.RST_STREAM:
        this.#reset(id, payload)
        break
      case frameTypes.SETTINGS:
        this.#settings(flags, id, payload)
        break
      case frameTypes.PING:
        this.pings.read(flags, id, payload)
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
        this.#guard.count('frames of unknown types')
    }
  }

  data(flags: number, id: number, length: number): void {
    this.#expect(frameTypes.DATA, id)
    if (length === 0) this.#guard.count('empty frames')
    this.#receiver.begin(this.#requests.dataStream(id), flags, length)
  }

  dataPiece(piece: Buffer, isLast: boolean): void {
    this.#receiver.add(piece, isLast)
  }

  /** Source: RFC 9113, sections 3.4 and 6.10. */
  #expect(type: number, id: number): void {
    if (!this.#isOpen) {
      if (type !== frameTypes.SETTINGS) throw new Http2Error('PROTOCOL_ERROR', 'the first frame is no SETTINGS')
      this.#isOpen = true
      this.#parts.listener.open()
    }
    this.#blocks.expect(type, id)
  }

  /** Priorities are of no use here, but they must be right. Source: RFC 9113, section 6.3; RFC 7540, section 5.3.1. */
  #priority(id: number, payload: Buffer): void {
    if (id === 0) throw new Http2Error('PROTOCOL_ERROR', 'a priority of no stream')
    expectSize(payload, 5)
    expectDependency(id, payload)
    this.#guard.count('priorities')
  }

  /** Source: RFC 9113, section 6.4. */
  #reset(id: number, payload: Buffer): void {
    expectSize(payload, 4)
    this.#parts.streams.find(id)?.close()
    this.#guard.count('requests that are reset')
  }

  /** Source: RFC 9113, section 6.5. */
  #settings(flags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw new Http2Error('PROTOCOL_ERROR', 'settings of a stream')
    if ((flags & frameFlags.ACK) !== 0) {
      expectSize(payload, 0)
      return
    }
    this.#guard.count('settings')
    const { initialWindowSize, maxFrameSize } = readSettings(payload)
    const { sender, output } = this.#parts
    if (maxFrameSize !== undefined) sender.maxFrameSize = maxFrameSize
    // Ahead of what wider windows let go.
    output.send(frame(frameTypes.SETTINGS, frameFlags.ACK, 0))
    if (initialWindowSize !== undefined) this.#requests.resizeWindows(initialWindowSize)
  }

  /** Source: RFC 9113, section 6.9. */
  #windowUpdate(id: number, payload: Buffer): void {
    expectSize(payload, 4)
    const change = payload.readUInt32BE(0) & 0x7fffffff
    const { sender, streams } = this.#parts
    if (id === 0) {
      if (change === 0) throw new Http2Error('PROTOCOL_ERROR', 'a window update of nothing')
      sender.widen(change)
      return
    }
    const stream = streams.find(id)
    if (change === 0) stream?.reset('PROTOCOL_ERROR')
    else if (stream?.moveSendWindow(change) === false) stream.reset('FLOW_CONTROL_ERROR')
  }
}
