import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Connection {
  /** Responses that have not left to their end. */
  unsent: number
  /** The response to the latest request. */
  latest: ServerResponse | undefined
  /** The response that was made the last, until another request comes behind it. */
  last: ServerResponse | undefined
  /** Bytes that had come when it last had nothing to do; more than these begin another request. */
  receivedAtRest: number
}

/** The open connections of a server, which knows how to end each without losing an answer. */
export class Connections {
  readonly #connections = new Map<Socket, Connection>()
  /** Connections that are not secure yet, by the address of their client. */
  readonly #handshakes = new Map<string, Socket>()
  readonly #maxPipelined: number
  #isClosing = false

  /** @param maxPipelined requests of one connection that may wait for their answers. */
  constructor(maxPipelined: number) {
    this.#maxPipelined = maxPipelined
  }

  /** Keeps a connection that is to become a secure one, which is added then. */
  addHandshake(socket: Socket): void {
    const client = clientOf(socket)
    this.#handshakes.set(client, socket)
    socket.once('close', () => {
      if (this.#handshakes.get(client) === socket) this.#handshakes.delete(client)
    })
  }

  add(socket: Socket): void {
    if (this.#handshakes.size > 0) this.#handshakes.delete(clientOf(socket))
    this.#connections.set(socket, { unsent: 0, latest: undefined, last: undefined, receivedAtRest: 0 })
    socket.once('close', () => this.#connections.delete(socket))
  }

  /** Counts a request until its response has left. A connection with too many of them is cut. */
  track(socket: Socket, response: ServerResponse): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return
    connection.unsent++
    if (connection.unsent > this.#maxPipelined) socket.destroy()
    connection.latest = response
    if (this.#isClosing) endAfterLatest(connection)
    response.once('close', () => {
      connection.unsent--
      if (connection.unsent > 0) return
      connection.latest = undefined
      connection.last = undefined
      connection.receivedAtRest = socket.bytesRead
      if (this.#isClosing) socket.destroy()
    })
  }

  /**
   * Whether a client that broke the protocol can be told so: what it hears next must be the answer to what it sends now.
   * Where answers to earlier requests are due, the connection ends with the last of them instead.
   */
  canRefuse(socket: Socket): boolean {
    const connection = this.#connections.get(socket)
    if (connection?.latest === undefined) return true
    const { latest, unsent } = connection
    if (latest.req.complete) endAfterLatest(connection)
    else if (unsent === 1 && !latest.headersSent) return true
    else socket.destroy()
    return false
  }

  /** From now on a connection ends after the response to its latest request. */
  close(): void {
    this.#isClosing = true
    for (const connection of this.#connections.values()) endAfterLatest(connection)
  }

  /** Ends the connections that have no request, not even the beginning of one. */
  closeIdle(): void {
    for (const socket of this.#handshakes.values()) socket.destroy()
    for (const [socket, { unsent, receivedAtRest }] of this.#connections) {
      if (unsent === 0 && socket.bytesRead === receivedAtRest) socket.destroy()
    }
  }
}

/** A secure connection is a socket of its own, which has this in common with the one that it came through. */
const clientOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

function endAfterLatest(connection: Connection): void {
  const { latest, last } = connection
  if (last !== undefined) last.shouldKeepAlive = true
  if (latest === undefined || !latest.shouldKeepAlive) return
  latest.shouldKeepAlive = false
  connection.last = latest
}
