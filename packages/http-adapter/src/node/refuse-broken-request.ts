import type { ServerResponse } from 'node:http'
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
  const { code = '' } = error
  const line = statusLines[code] ?? (code.startsWith('HPE_') ? '400 Bad Request' : undefined)
  // A connection that broke, or never became secure, carries no answer.
  if (line === undefined || !socket.writable) {
    socket.destroy()
    return
  }
  const body = `{"error":"${line.slice(4)}"}`
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
  // node:http passes sockets; one whose other side stays open would be held for ever.
  ;(socket as Socket).setTimeout(lingerTime, () => socket.destroy())
}

/** Answers a request with more headers than are taken, and closes the connection. */
export function refuseTooManyHeaders(response: ServerResponse): void {
  const body = '{"error":"Request Header Fields Too Large"}'
  const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length, Connection: 'close' }
  response.writeHead(431, headers).end(body)
}
