import { closeSync, openSync, writeSync } from 'node:fs'
import type { Logger } from '@triton-ts/core'

/** tritonserver's `--log-*` flags. */
export interface LogSettings {
  readonly verbose: number
  readonly info: boolean
  readonly warning: boolean
  readonly error: boolean
  readonly format: 'default' | 'ISO8601'
  /** `''`: stderr. */
  readonly file: string
}

/** A Logger that can print a table too, and that owns its file. */
export interface Log extends Logger {
  /** Information that keeps its line breaks: tables. */
  table(text: string): void
  /** Closes the file; what is still logged goes to stderr. */
  close(): void
}

type Severity = 'I' | 'W' | 'E'

const two = (value: number) => String(value).padStart(2, '0')

/** The beginning of a line: `I0131 23:59:59.123000 4711 server] `, or the same in ISO 8601. */
export function preamble(format: LogSettings['format'], severity: Severity, time: number, module: string): string {
  const date = new Date(time)
  const [month, day] = [two(date.getUTCMonth() + 1), two(date.getUTCDate())]
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':')
  const stamp =
    format === 'default'
      ? `${severity}${month}${day} ${clock}.${String(date.getUTCMilliseconds()).padStart(3, '0')}000`
      : `${date.getUTCFullYear()}-${month}-${day}T${clock}Z ${severity}`
  return `${stamp} ${process.pid} ${module}] `
}

/**
 * A log in Triton's format; the name of a module stands where Triton has file and line. Lines that the file does not
 * take go to stderr.
 * @throws Error when the log file cannot be opened.
 */
export function openLog(settings: LogSettings): Log {
  const escaped = process.env.TRITON_SERVER_ESCAPE_LOG_MESSAGES !== '0'
  let file = settings.file === '' ? undefined : openSync(settings.file, 'a')
  const print = (severity: Severity, module: string, text: string) => {
    const line = `${preamble(settings.format, severity, Date.now(), module)}${text}\n`
    if (file === undefined || !append(file, line)) process.stderr.write(line)
  }
  const line = (severity: Severity, enabled: boolean) => (fields: object, message: string) => {
    if (!enabled) return
    const module = 'module' in fields ? String(fields.module) : 'server'
    print(severity, module, escaped ? JSON.stringify(message) : message)
  }
  return {
    debug: line('I', settings.verbose > 0),
    info: line('I', settings.info),
    warn: line('W', settings.warning),
    error: line('E', settings.error),
    table: (text) => settings.info && print('I', 'server', `\n${text}`),
    close() {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}

/** Whether the line could be written; a full disk must not end the server. */
function append(file: number, line: string): boolean {
  try {
    writeSync(file, line)
    return true
  } catch {
    return false
  }
}
