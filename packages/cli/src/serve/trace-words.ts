import type { TraceLevel } from '@triton-ts/core'
import { readInteger } from '../flags/flag.ts'
import { UsageError } from '../flags/usage-error.ts'

const flag = 'trace-config'

/** A setting of `--trace-config`; the mode is undefined for one that holds for all modes. */
export interface TraceWord {
  readonly mode: 'triton' | 'opentelemetry' | undefined
  readonly setting: string
  readonly value: string
}

/**
 * Reads `--trace-config`: `<mode>,<setting>=<value>` or `<setting>=<value>`.
 * @throws UsageError with Triton's text.
 */
export function traceWord(text: string): TraceWord {
  const comma = text.indexOf(',')
  if (comma === 0) {
    const form = '<trace mode>,<setting>=<value> or <setting>=<value>'
    throw new UsageError(`No trace mode specified. --${flag} option format is ${form}. Got ${text}`, flag)
  }
  const mode = comma === -1 ? undefined : traceMode(text.slice(0, comma), flag)
  const [, setting, value] = /^([^=]+)=(.+)$/s.exec(text.slice(comma + 1)) ?? []
  if (setting !== undefined && value !== undefined) return { mode, setting, value }
  throw new UsageError(`--${flag} option format is '<trace mode>,<setting>=<value>'. Got ${text}`, flag)
}

/** @param where the flag that an error names. */
export function traceMode(text: string, where: string): 'triton' | 'opentelemetry' {
  const word = text.toLowerCase()
  if (word === 'triton' || word === 'opentelemetry') return word
  const known = 'Available options are "triton" and "opentelemetry"'
  throw new UsageError(`invalid value for trace mode option: ${word}. ${known}`, where)
}

const levels = new Map<string, TraceLevel | 'OFF'>([
  ...['false', 'off'].map((word) => [word, 'OFF'] as const),
  ...['true', 'on', 'min', 'max', 'timestamps'].map((word) => [word, 'TIMESTAMPS'] as const),
  ['tensors', 'TENSORS'],
])

/** All the levels that words ask for; none as soon as one of them is OFF. */
export function traceLevel(words: readonly string[], where: string): readonly TraceLevel[] {
  const asked = new Set<TraceLevel>()
  let isOff = false
  for (const text of words) {
    const word = text.toLowerCase()
    const level = levels.get(word)
    if (level === undefined) throw new UsageError(`invalid value for trace level option: ${word}`, where)
    if (level === 'OFF') isOff = true
    else asked.add(level)
  }
  return isOff ? [] : [...asked]
}

/** An integer of C++'s type `int`, or `uint32_t`. @param where the flag, or variable, that an error names. */
export function traceInteger(text: string, where: string, type: 'int' | 'uint32'): number {
  try {
    return type === 'int' ? readInteger(text, -(2 ** 31), 2 ** 31 - 1) : readInteger(text, 0, 2 ** 32 - 1)
  } catch (error) {
    const reason = (error as Error).message
    throw where.startsWith('OTEL_')
      ? new UsageError(`Bad option: "${where}".\n${reason}`)
      : new UsageError(reason, where)
  }
}
