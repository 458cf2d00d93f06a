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
  #isClosing = false

  add(socket: Socket): void {
    this.#connections.set(socket, { unsent: 0, latest: undefined, last: undefined, receivedAtRest: 0 })
    socket.once('close', () => this.#connections.delete(socket))
  }

  /** Counts a request until its response has left. */
  track(socket: Socket, response: ServerResponse): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return
    connection.unsent++
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

  /** From now on a connection ends after the response to its latest request. */
  close(): void {
    this.#isClosing = true
    for (const connection of this.#connections.values()) endAfterLatest(connection)
  }

  /** Ends the connections that have no request, not even the beginning of one. */
  closeIdle(): void {
    for (const [socket, { unsent, receivedAtRest }] of this.#connections) {
      if (unsent === 0 && socket.bytesRead === receivedAtRest) socket.destroy()
    }
  }
}

function endAfterLatest(connection: Connection): void {
  const { latest, last } = connection
  if (last !== undefined) last.shouldKeepAlive = true
  if (latest === undefined || !latest.shouldKeepAlive) return
  latest.shouldKeepAlive = false
  connection.last = latest
}
