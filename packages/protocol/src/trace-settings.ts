import { type Server, type TraceLevel, type TraceSettings, TritonError, traceLevels } from '@triton-ts/core'

/** @throws TritonError INVALID_ARG where a model is named that is not there, as the trace extension of both protocols. */
export async function expectTracedModel(server: Server, modelName: string): Promise<void> {
  if (modelName === '' || (await server.model(modelName).isReady())) return
  throw new TritonError('INVALID_ARG', `Request for unknown model : ${modelName}`)
}

/** Of a change that names `trace_file`. */
export const fixedTraceFile = (): TritonError =>
  new TritonError('UNSUPPORTED', 'trace file location can not be updated through network protocol')

/**
 * The level that words of `trace_level` ask for; undefined where they ask for nothing, since unknown ones are overlooked.
 * @throws TritonError INVALID_ARG for `OFF` beside others.
 */
export function readTraceLevel(words: readonly string[]): readonly TraceLevel[] | undefined {
  if (words.includes('OFF')) {
    if (words.length === 1) return []
    throw new TritonError('INVALID_ARG', "Expect only one trace level 'OFF' is specified")
  }
  const level = traceLevels.filter((one) => words.includes(one))
  return level.length === 0 ? undefined : level
}

/** What Triton says of the range of a setting, which it reads with 32 bits and a sign all the same. */
const ranges = { trace_rate: '0, 4294967295', trace_count: '-1, 2147483647', log_frequency: '0, 4294967295' } as const

/**
 * A number as Triton reads it, with C++'s `stoi`: what follows the digits does not count, and without a sign -1 is 2^32 - 1.
 * @param gap stands in front of a value that is too small: Triton's HTTP has none there, its gRPC a space.
 * @throws TritonError INVALID_ARG
 */
export function readTraceNumber(setting: keyof typeof ranges, text: string, gap = ''): number {
  const [digits] = /^\s*[+-]?\d+/.exec(text) ?? []
  if (digits === undefined) throw new TritonError('INVALID_ARG', `Unable to parse '${setting}', got: ${text}`)
  const value = Number(digits)
  if (value < -(2 ** 31) || value >= 2 ** 31) {
    const range = `[ ${ranges[setting]} ]`
    throw new TritonError('INVALID_ARG', `Unable to parse '${setting}', value is out of range ${range}, got: ${text}`)
  }
  if (setting !== 'trace_count') return value >>> 0
  if (value >= -1) return value
  throw new TritonError('INVALID_ARG', `Unable to parse '${setting}'. Expecting value >= -1, got:${gap}${text}`)
}

/** Settings by their names in the protocols. A file is of no matter where traces go elsewhere. */
export function traceSettingTexts(settings: TraceSettings): Record<string, readonly string[]> {
  const { level, rate, count, logFrequency, file, mode, exporter } = settings
  return {
    trace_level: level.length === 0 ? ['OFF'] : traceLevels.filter((one) => level.includes(one)),
    trace_rate: [String(rate)],
    trace_count: [String(count)],
    ...(mode === 'triton' && { log_frequency: [String(logFrequency)], trace_file: [file] }),
    trace_mode: [mode],
    ...Object.fromEntries(Object.entries(exporter).map(([name, value]) => [name, [value]])),
  }
}
