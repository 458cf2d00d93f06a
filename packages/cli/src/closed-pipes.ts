/** Whoever read our output may leave, as `head` does; that is no reason to crash, least of all for a server. */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
