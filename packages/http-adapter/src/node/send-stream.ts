import type { ServerResponse } from 'node:http'
import type { Body, StreamedResponse } from '../universal.ts'
import { cutSlowReader } from './slow-reader.ts'
import { isOver, whenOver } from './when-over.ts'

/**
 * Sends a body part by part, each when the client has taken those before. A client that leaves ends the work behind it.
 * @param signal of the connection.
 * @param timeout milliseconds in which the client must take something; one that does not is cut.
 */
export async function sendStream(
  response: ServerResponse,
  { status, headers, body, delivery }: StreamedResponse,
  signal: AbortSignal,
  timeout?: number,
): Promise<void> {
  if (isOver(response, signal)) {
    delivery?.end()
    await body.return?.()
    return
  }
  delivery?.begin()
  whenOver(response, signal, () => {
    delivery?.end()
    void body.return?.()
  })
  response.writeHead(status, [...headers])
  for await (const part of body) {
    if (response.destroyed || signal.aborted) return
    if (!write(response, part)) await drained(response, signal, timeout)
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
function drained(response: ServerResponse, signal: AbortSignal, timeout = 0): Promise<void> {
  if (response.destroyed || signal.aborted) return Promise.resolve()
  const { socket } = response
  socket?.setTimeout(timeout)
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go)
      signal.removeEventListener('abort', go)
      socket?.setTimeout(0)
      resolve()
    }
    response.on('drain', go).on('close', go)
    signal.addEventListener('abort', go)
  })
}
