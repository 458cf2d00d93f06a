/** A terminal's Ctrl-C reaches the process twice below npm: from the terminal, and from npm. That is one request. */
const sameRequest = 500

/**
 * Aborts at the first SIGTERM or SIGINT. A further one, if it is not the first one's echo, ends the process at once:
 * somebody does not want to wait for the drain.
 */
export function exitSignal(): AbortSignal {
  const controller = new AbortController()
  let first = 0
  const onSignal = (name: 'SIGTERM' | 'SIGINT') => {
    if (!controller.signal.aborted) {
      first = performance.now()
      controller.abort()
    } else if (performance.now() - first > sameRequest) process.exit(name === 'SIGINT' ? 130 : 143)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return controller.signal
}
