/** Writes to standard error. Where nobody reads it any more the text is lost, which would else end the process. */
export function writeStderr(text: string): void {
  const { stderr } = process
  if (stderr.listenerCount('error') === 0) stderr.on('error', () => {})
  stderr.write(text)
}
