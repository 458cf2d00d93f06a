import type { Logger } from '@triton-ts/core'

/** A line that a library logged. */
export interface LogRecord {
  /** Number of the backend, 0 where the addon cannot tell which one it was. */
  readonly backend: number
  readonly level: number
  readonly line: number
  readonly file: string
  readonly text: string
}

interface Target {
  readonly name: string
  readonly logger: Logger
  /** Whether it is told what is verbose; another library of the process may have asked for that. */
  readonly verbose: boolean
}

/** By Triton's number of the level: info, warn, error, verbose. */
const levels: readonly (keyof Logger)[] = ['info', 'warn', 'error', 'debug']

const verboseLevel = 3

/** Brings what libraries log to the loggers of the Servers that use them. */
export class LibraryLog {
  readonly #targets = new Map<number, Target>()

  add(backend: number, target: Target): void {
    this.#targets.set(backend, target)
  }

  remove(backend: number): void {
    this.#targets.delete(backend)
  }

  write({ backend, level, line, file, text }: LogRecord): void {
    const target = this.#targets.get(backend) ?? [...this.#targets.values()].at(-1)
    if (target === undefined || (level === verboseLevel && !target.verbose)) return
    target.logger[levels[level] ?? 'info']({ backend: target.name, file, line }, text)
  }

  /** Something of our own that a Server's operator should know; no single backend is to blame. */
  error(err: unknown, text: string): void {
    const target = [...this.#targets.values()].at(-1)
    target?.logger.error({ err }, text)
  }
}
