import { inspect } from 'node:util'
import { TritonError } from '../errors.ts'
import type { LogFormat } from './log-settings.ts'

export type Severity = 'debug' | 'info' | 'warn' | 'error'

/** Something to be logged. */
export interface LogEntry {
  readonly severity: Severity
  /** Milliseconds since 1970. */
  readonly time: number
  /** `module` names the part of the program; `file` and `line` say where a library or a model said it. */
  readonly fields: object
  readonly message: string
}

/**
 * One line of a log, without its end. In Triton's formats the place `<file>:<line>` is that of a library's source, or
 * the name of a part of this program and 0.
 * @param isEscaped whether the message is a JSON string there, so that it cannot forge further lines. In `json` it is.
 */
export function logLine(format: LogFormat, entry: LogEntry, isEscaped: boolean): string {
  if (format === 'json') return jsonLine(entry)
  const text = withError(entry)
  return `${preamble(format, entry)}${isEscaped ? JSON.stringify(text) : text}`
}

// As in Triton, what is verbose is marked as information.
const letters: Readonly<Record<Severity, string>> = { debug: 'I', info: 'I', warn: 'W', error: 'E' }

/** The beginning of a line: `I0131 23:59:59.123000 4711 http:0] `, or the same in ISO 8601. */
export function preamble(format: 'default' | 'ISO8601', { severity, time, fields }: LogEntry): string {
  const letter = letters[severity]
  const iso = new Date(time).toISOString()
  const stamp =
    format === 'default'
      ? `${letter}${iso.slice(5, 7)}${iso.slice(8, 10)} ${iso.slice(11, 23)}000`
      : `${iso.slice(0, 19)}Z ${letter}`
  return `${stamp} ${process.pid} ${place(fields)}] `
}

function place(fields: object): string {
  const line = 'line' in fields ? fields.line : 0
  // A path or a name with spaces would not be read as one word.
  const file = 'file' in fields ? String(fields.file).replace(/^.*[/\\]/, '') : moduleOf(fields)
  return `${file.replaceAll(/\s/g, '_')}:${line}`
}

const moduleOf = (fields: object): string => ('module' in fields ? String(fields.module) : 'server')

/** The message, with what the error in the fields says where the message does not say it. */
function withError({ fields, message }: LogEntry): string {
  const error = 'err' in fields ? fields.err : undefined
  if (error === undefined) return message
  if (error instanceof Error && error.message !== '' && message.includes(error.message)) return message
  if (error instanceof TritonError) return `${message}: ${error.message}`
  return `${message}: ${typeof error === 'string' ? error : inspect(error)}`
}

function jsonLine({ severity, time, fields, message }: LogEntry): string {
  const head = {
    time: new Date(time).toISOString(),
    level: severity,
    pid: process.pid,
    module: moduleOf(fields),
    message,
  }
  // The head comes first, and no field replaces what it says.
  const line = { ...head, ...fields, ...head }
  return jsonText(line) ?? jsonText(shown(line)) ?? JSON.stringify(head)
}

/** Undefined for what JSON has no text for: what contains itself, for instance. */
function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, printable)
  } catch {
    return undefined
  }
}

/** The fields that JSON has no text for as Node.js shows them. */
const shown = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const isPrintable = value === undefined || jsonText(value) !== undefined
      return [name, isPrintable ? value : inspect(value, { breakLength: Number.POSITIVE_INFINITY })]
    }),
  )

/** A stack tells of a fault of the program; a TritonError is an answer. */
function printable(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof TritonError) return { code: value.code, message: value.message }
  if (!(value instanceof Error)) return value
  const { message, stack, cause } = value
  return { code: 'code' in value ? value.code : undefined, message, stack, cause }
}
