import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

const statusLines: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Milliseconds that a client has to read the refusal and to close its side. */
const lingerTime = 1000

/** Answers what is no HTTP, or came too slowly, and closes the connection. */
export function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const line = statusLines[error.code ?? ''] ?? '400 Bad Request'
  const body = `{"error":"${line.slice(4)}"}`
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
  // node:http passes sockets; one whose other side stays open would be held for ever.
  ;(socket as Socket).setTimeout(lingerTime, () => socket.destroy())
}
