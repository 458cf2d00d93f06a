import type { ServerResponse } from 'node:http'
import type { Body, StreamedResponse } from '../universal.ts'
import { cutSlowReader } from './slow-reader.ts'

/**
 * Sends a body part by part, each when the client has taken those before. A client that leaves ends the work behind it.
 * @param timeout milliseconds in which the client must take something; one that does not is cut.
 */
export async function sendStream(
  response: ServerResponse,
  { status, headers, body, delivery }: StreamedResponse,
  timeout?: number,
): Promise<void> {
  // The client may be gone, and an application may have answered itself.
  if (response.destroyed || response.headersSent) {
    delivery?.end()
    await body.return?.()
    return
  }
  delivery?.begin()
  response.once('close', () => {
    delivery?.end()
    void body.return?.()
  })
  response.writeHead(status, [...headers])
  for await (const part of body) {
    if (response.destroyed) return
    if (!write(response, part)) await drained(response, timeout)
  }
  response.end()
  if (timeout !== undefined) cutSlowReader(response, timeout)
}

/** One chunk for each part, as clients may expect. Returns whether there is room for more. */
function write(response: ServerResponse, part: Body): boolean {
  if (typeof part === 'string') return response.write(part, 'latin1')
  return response.write(part.length === 1 ? part[0] : Buffer.concat(part))
}

/** Resolves when there is room again, or when the client is gone. */
function drained(response: ServerResponse, timeout = 0): Promise<void> {
  if (response.destroyed) return Promise.resolve()
  const { socket } = response
  socket?.setTimeout(timeout)
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go)
      socket?.setTimeout(0)
      resolve()
    }
    response.on('drain', go).on('close', go)
  })
}
