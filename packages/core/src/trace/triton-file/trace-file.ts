import { type FileHandle, open, rm } from 'node:fs/promises'
import type { Logger } from '../../util/logger.ts'
import type { RecordedTrace } from './file-recorder.ts'
import { traceText } from './trace-text.ts'

/** Characters that are written at a time. */
const chunkSize = 64 * 1024

/**
 * The trace file and the numbered ones beside it, written one after the other in the background. Traces that cannot be
 * written are lost, and that is logged; a file is then as it was before them.
 */
export class TraceFile {
  readonly #path: string
  readonly #logger: Logger
  #work: Promise<void> = Promise.resolve()
  #numbered = 0
  #main: FileHandle | undefined
  /** Bytes of the main file. */
  #size = 0
  #isClosed = false
  /** Why the last traces were lost. */
  #complaint: string | undefined

  constructor(path: string, logger: Logger) {
    this.#path = path
    this.#logger = logger
  }

  /** Adds to the file itself, which is complete when this is closed. */
  append(traces: readonly RecordedTrace[]): void {
    this.#enqueue(traces, () => this.#append(traces))
  }

  /** Writes `<file>.0`, `<file>.1`... */
  writeNumbered(traces: readonly RecordedTrace[]): void {
    const path = `${this.#path}.${this.#numbered++}`
    this.#enqueue(traces, () => writeWhole(path, traces))
  }

  /** Resolves when all is written. */
  close(): Promise<void> {
    this.#enqueue([], () => this.#end())
    this.#isClosed = true
    return this.#work
  }

  #enqueue(traces: readonly RecordedTrace[], write: () => Promise<void>): void {
    const forget = (): void => {
      for (const trace of traces) trace.dispose()
    }
    if (this.#isClosed) forget()
    else this.#work = this.#work.then(write).then(this.#calmDown, this.#complain).finally(forget)
  }

  readonly #calmDown = (): void => {
    this.#complaint = undefined
  }

  /** Once, as long as it is the same. */
  readonly #complain = (err: unknown): void => {
    const { code, message }: NodeJS.ErrnoException = err instanceof Error ? err : new Error(String(err))
    const reason = code ?? message
    if (reason !== this.#complaint) {
      this.#logger.error({ err, path: this.#path }, `failed creating trace file: ${message}`)
    }
    this.#complaint = reason
  }

  async #append(traces: readonly RecordedTrace[]): Promise<void> {
    this.#main ??= await open(this.#path, 'w')
    try {
      this.#size = await write(this.#main, this.#size, this.#size === 0 ? '[' : ',', traces)
    } catch (error) {
      await this.#main.truncate(this.#size)
      throw error
    }
  }

  async #end(): Promise<void> {
    const main = this.#main
    if (main === undefined) return
    try {
      if (this.#size > 0) await main.write(']', this.#size)
    } finally {
      await main.close()
    }
  }
}

async function writeWhole(path: string, traces: readonly RecordedTrace[]): Promise<void> {
  const file = await open(path, 'w')
  try {
    await file.write(']', await write(file, 0, '[', traces))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** Writes traces, separated by commas, from a position on. @returns where they end. */
async function write(
  file: FileHandle,
  position: number,
  before: string,
  traces: readonly RecordedTrace[],
): Promise<number> {
  let end = position
  let text = before
  const flush = async (): Promise<void> => {
    const bytes = Buffer.from(text)
    for (let sent = 0; sent < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, sent, bytes.length - sent, end)
      sent += bytesWritten
      end += bytesWritten
    }
    text = ''
  }
  for (const [index, trace] of traces.entries()) {
    if (index > 0) text += ','
    for (const part of traceText(trace)) {
      text += part
      if (text.length >= chunkSize) await flush()
    }
  }
  await flush()
  return end
}
