import type { ServerResponse } from 'node:http'

/** Whether nothing can be sent any more: the client is gone, or an application has answered itself. */
export const isOver = (response: ServerResponse, signal: AbortSignal): boolean =>
  response.destroyed || response.headersSent || signal.aborted

/**
 * Calls back once, when a response has left or its connection is gone. What waits for its turn in a pipeline is not
 * closed by node:http when the connection breaks.
 * @param signal of the connection, not aborted yet.
 */
export function whenOver(response: ServerResponse, signal: AbortSignal, then: () => void): void {
  const over = (): void => {
    response.off('close', over)
    signal.removeEventListener('abort', over)
    then()
  }
  response.on('close', over)
  signal.addEventListener('abort', over)
}
