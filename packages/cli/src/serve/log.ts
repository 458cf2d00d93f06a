import { type ServerLog, type TritonLogOptions, tritonLog } from '@triton-ts/core'

/** A log that can print a table too, and that owns its file. */
export interface Log extends ServerLog {
  /** Information that keeps its line breaks: tables. */
  table(text: string): void
  /** Writes what waits, and closes the file. */
  close(): Promise<void>
}

/**
 * The log that tritonserver's `--log-*` flags and its environment ask for.
 * @throws Error when the log file cannot be opened.
 */
export const openLog = (settings: TritonLogOptions): Log =>
  tritonLog({ ...settings, escape: process.env.TRITON_SERVER_ESCAPE_LOG_MESSAGES !== '0' })
