import { close, fstat, open, openSync, stat, write, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Clock } from '../util/clock.ts'
import { writeStderr } from './write-stderr.ts'

export interface LogFileOptions {
  readonly clock: Clock
  /** The line that tells how many lines were lost, with its end. */
  readonly lostLine: (count: number) => string
}

/** Characters that may wait to be written. */
const maxWaiting = 1 << 20

/** Milliseconds between two looks at whether the file is still the one of that name. */
const lookInterval = 1000

const writeBytes = promisify(write)

/**
 * Appends lines to a file without holding up the event loop: a line is handed to another thread at once, and those that
 * come meanwhile follow in one piece. Behind a disk that cannot keep up lines are lost, and counted. When the file is
 * moved away or removed, by logrotate for instance, the next lines go to a new one of the same name. Lines that the file
 * does not take, on a full disk for instance, go to stderr.
 */
export class LogFile {
  readonly path: string
  readonly #clock: Clock
  readonly #lostLine: (count: number) => string
  #file: number
  #waiting = ''
  #lost = 0
  #lookedAt: number
  #writing: Promise<void> | undefined
  #closing: Promise<void> | undefined

  /** @throws Error when the file cannot be opened. */
  constructor(path: string, { clock, lostLine }: LogFileOptions) {
    this.path = path
    this.#clock = clock
    this.#lostLine = lostLine
    this.#file = openSync(path, 'a')
    this.#lookedAt = clock.now()
    process.once('exit', this.#writeRest)
  }

  /** @param line with its end. After `close` it goes to stderr: the descriptor may be another file's then. */
  append(line: string): void {
    if (this.#closing !== undefined) writeStderr(line)
    else if (this.#waiting.length + line.length > maxWaiting) this.#lost++
    else {
      this.#waiting += line
      this.#writing ??= this.#drain()
    }
  }

  /** Writes what waits, and closes the file. Later calls return the first one's promise. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    await this.#writing
    process.off('exit', this.#writeRest)
    await promisify(close)(this.#file)
  }

  /** Lines wait until they are handed over, so that an exit of the process finds them. */
  async #drain(): Promise<void> {
    while (this.#waiting !== '') {
      let text = ''
      try {
        await this.#reopenIfMoved()
        text = this.#take()
        await this.#write(Buffer.from(text))
      } catch {
        writeStderr(text || this.#take())
      }
    }
    this.#writing = undefined
  }

  #take(): string {
    const text = this.#lost === 0 ? this.#waiting : this.#waiting + this.#lostLine(this.#lost)
    this.#waiting = ''
    this.#lost = 0
    return text
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.byteLength; ) {
      at += (await writeBytes(this.#file, bytes, at)).bytesWritten
    }
  }

  async #reopenIfMoved(): Promise<void> {
    const now = this.#clock.now()
    if (now - this.#lookedAt < lookInterval) return
    const mine = await promisify(fstat)(this.#file)
    const named = await promisify(stat)(this.path).catch(() => undefined)
    if (named?.ino !== mine.ino || named.dev !== mine.dev) {
      const before = this.#file
      this.#file = await promisify(open)(this.path, 'a')
      await promisify(close)(before)
    }
    this.#lookedAt = now
  }

  /** The process ends with lines that still wait: no other thread will write them now. */
  readonly #writeRest = (): void => {
    const text = this.#take()
    if (text === '') return
    try {
      writeSync(this.#file, text)
    } catch {
      writeStderr(text)
    }
  }
}
