import { type Clock, systemClock } from '../util/clock.ts'
import { LogFile } from './log-file.ts'
import { type LogEntry, logLine, preamble, type Severity } from './log-line.ts'
import type { LogFormat } from './log-settings.ts'
import { SwitchedLog } from './switched-log.ts'
import { writeStderr } from './write-stderr.ts'

/** Names and defaults are those of tritonserver's `--log-*` flags. */
export interface TritonLogOptions {
  /** Default `default`. */
  readonly format?: LogFormat | undefined
  /** The file that lines are appended to. Default: standard error. */
  readonly file?: string | undefined
  /** The level up to which verbose messages are logged. Default 0: none. */
  readonly verbose?: number | undefined
  readonly info?: boolean | undefined
  readonly warning?: boolean | undefined
  readonly error?: boolean | undefined
  /**
   * Whether messages are JSON strings in Triton's formats, so that none can pose as two; tritonserver's environment
   * variable TRITON_SERVER_ESCAPE_LOG_MESSAGES. Default true.
   */
  readonly escape?: boolean | undefined
  /** For tests. Default: the system's. */
  readonly clock?: Clock | undefined
}

/**
 * A log in the formats of tritonserver, and in JSON. Standard error is written as Node.js does: at once, and where it is
 * a pipe that nobody reads the process waits. A file never makes it wait.
 */
export class TritonLog extends SwitchedLog {
  readonly #file: LogFile | undefined
  readonly #clock: Clock
  readonly #isEscaped: boolean

  /** @throws Error when the file cannot be opened. */
  constructor({ file = '', escape: isEscaped = true, clock = systemClock, ...switches }: TritonLogOptions = {}) {
    const { format, verbose, info, warning, error } = switches
    super(
      {
        logFile: file,
        ...(format !== undefined && { logFormat: format }),
        ...(verbose !== undefined && { logVerboseLevel: verbose }),
        ...(info !== undefined && { logInfo: info }),
        ...(warning !== undefined && { logWarning: warning }),
        ...(error !== undefined && { logError: error }),
      },
      true,
    )
    this.#clock = clock
    this.#isEscaped = isEscaped
    this.#file = file === '' ? undefined : new LogFile(file, { clock, lostLine: (count) => this.#lostLine(count) })
  }

  /** Information that keeps its line breaks in Triton's formats: a table. */
  table(text: string): void {
    const { logFormat, logInfo } = this.settings
    if (!logInfo) return
    const entry = this.#entry('info', {}, text)
    this.#append(logFormat === 'json' ? this.#line(entry) : `${preamble(logFormat, entry)}\n${text}\n`)
  }

  /** Writes what waits and closes the file; what is logged later goes to standard error. */
  async close(): Promise<void> {
    await this.#file?.close()
  }

  protected override print(severity: Severity, fields: object, message: string): void {
    this.#append(this.#line(this.#entry(severity, fields, message)))
  }

  #lostLine(count: number): string {
    const text = `${count} lines of the log are lost: '${this.settings.logFile}' is written too slowly`
    return this.#line(this.#entry('warn', { module: 'log' }, text))
  }

  #entry(severity: Severity, fields: object, message: string): LogEntry {
    return { severity, time: this.#clock.wallTime(), fields, message }
  }

  #line(entry: LogEntry): string {
    return `${logLine(this.settings.logFormat, entry, this.#isEscaped)}\n`
  }

  #append(text: string): void {
    if (this.#file === undefined) writeStderr(text)
    else this.#file.append(text)
  }
}

/**
 * Opens a log in the formats of tritonserver: `new Server({ logger: tritonLog({ format: 'json' }) })`.
 * @throws Error when the file cannot be opened.
 */
export const tritonLog = (options: TritonLogOptions = {}): TritonLog => new TritonLog(options)
