import type { TrafficSplit } from '@triton-ts/core'
import { UsageError } from '../flags/usage-error.ts'

const flag = 'traffic-split'

/**
 * Reads `--traffic-split`: `<model>:<version>=<weight>,...`, with `key=<parameter>` among them for the parameter that is
 * the sticky key. A flag for each model.
 * @throws UsageError
 */
export function trafficSplits(settings: readonly string[]): Record<string, TrafficSplit> {
  const splits = new Map<string, TrafficSplit>()
  for (const setting of settings) {
    // An id of a model, `<repository>::<name>`, has colons of its own.
    const end = setting.lastIndexOf(':', setting.indexOf('='))
    const model = setting.slice(0, Math.max(0, end))
    if (model === '') throw malformed(setting)
    if (splits.has(model)) throw new UsageError(`--${flag} is given twice for model '${model}'`, flag)
    splits.set(model, readSplit(setting.slice(end + 1), setting))
  }
  return Object.fromEntries(splits)
}

function readSplit(text: string, setting: string): TrafficSplit {
  const weights: Record<number, number> = {}
  let stickyParameter: string | undefined
  for (const part of text.split(',')) {
    const [name = '', value = '', ...rest] = part.split('=')
    if (value === '' || rest.length > 0 || name in weights) throw malformed(setting)
    if (name === 'key' && stickyParameter === undefined) stickyParameter = value
    else if (/^(0|[1-9]\d*)$/.test(name) && /^\d*\.?\d+$/.test(value)) weights[Number(name)] = Number(value)
    else throw malformed(setting)
  }
  return { weights, ...(stickyParameter !== undefined && { stickyParameter }) }
}

const malformed = (setting: string): UsageError =>
  new UsageError(
    `--${flag} option format is '<model>:<version>=<weight>,<version>=<weight>,key=<parameter>', each version once. Got ${setting}`,
    flag,
  )
