import { isMainThread } from 'node:worker_threads'

/** Calls `close` at the end of the process with its exit code, or of this worker thread, with undefined. */
export function onExit(close: (exitCode: number | undefined) => void): void {
  process.once('exit', (code) => close(isMainThread ? code : undefined))
}
