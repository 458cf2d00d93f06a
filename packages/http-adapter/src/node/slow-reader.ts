import type { ServerResponse } from 'node:http'

/** Cuts the connection of a client that for a time takes nothing of an answer which is there as a whole. */
export function cutSlowReader(response: ServerResponse, milliseconds: number): void {
  if (response.writableFinished || response.destroyed) return
  const { socket } = response
  if (socket === null) {
    // Its turn in the pipeline is yet to come.
    response.once('socket', () => cutSlowReader(response, milliseconds))
    return
  }
  socket.setTimeout(milliseconds)
  // Before node:http sets the time that the connection may rest.
  response.prependOnceListener('finish', () => socket.setTimeout(0))
}
