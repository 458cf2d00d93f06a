import type { MetricsOptions } from '@triton-ts/core'
import type { FlagValues } from '../flags/flags.ts'
import { UsageError } from '../flags/usage-error.ts'

/** What tritonserver's metrics flags ask for. */
export interface MetricsSettings {
  readonly options: MetricsOptions
  /** Whether GPUs are to have metrics. */
  readonly gpu: boolean
  /** One line for each setting that changes nothing. */
  readonly notices: readonly string[]
}

const switches = {
  counter_latencies: 'counterLatencies',
  histogram_latencies: 'histogramLatencies',
  summary_latencies: 'summaryLatencies',
  triton_ts: 'ownFamilies',
} as const

type Quantile = NonNullable<MetricsOptions['summaryQuantiles']>[number]

/** @throws UsageError with Triton's text for a `--metrics-config` of another form. */
export function metricsSettings(values: FlagValues): MetricsSettings {
  const isOn = values['allow-metrics']
  const notices: string[] = []
  const { quantiles, ...config } = configured(values['metrics-config'], notices)
  return {
    options: {
      ...config,
      ...(quantiles !== undefined && quantiles.length > 0 && { summaryQuantiles: quantiles }),
      cpu: isOn && values['allow-cpu-metrics'],
      interval: interval(values['metrics-interval-ms']),
      pinnedMemoryPool: values['pinned-memory-pool-byte-size'],
    },
    gpu: isOn && values['allow-gpu-metrics'],
    notices,
  }
}

type Configured = Pick<MetricsOptions, (typeof switches)[keyof typeof switches]> & { readonly quantiles?: Quantile[] }

function configured(values: readonly string[], notices: string[]): Configured {
  let config: Configured = {}
  for (const value of values) {
    const [, setting, text] = /^([^=,]+)=(.+)$/s.exec(value) ?? []
    if (setting === undefined || text === undefined) {
      const form = `--metrics-config option format is <setting>=<value>. Got ${value}`
      throw new UsageError(form, 'metrics-config')
    }
    if (isSwitch(setting)) config = { ...config, [switches[setting]]: isTrue(setting, text) }
    else if (setting === 'summary_quantiles') config = { ...config, quantiles: quantilesOf(text, notices) }
    else notices.push(`--metrics-config=${setting} has no effect: metrics have no such setting`)
  }
  return config
}

const isSwitch = (setting: string): setting is keyof typeof switches => Object.hasOwn(switches, setting)

/** As in Triton, any text but the one that changes it leaves a switch as it is by default. */
const isTrue = (setting: keyof typeof switches, text: string): boolean =>
  setting === 'counter_latencies' || setting === 'triton_ts' ? text !== 'false' : text === 'true'

/** `<quantile>:<error>,...`; as in Triton one of another form is left out and told of. */
function quantilesOf(text: string, notices: string[]): Quantile[] {
  return text.split(',').flatMap((pair) => {
    const [quantile, error] = pair.split(':').map((number) => (number.trim() === '' ? Number.NaN : Number(number)))
    if (quantile === undefined || error === undefined) {
      notices.push(`Invalid option: [${pair}]. No ':' delimiter found. Expected format is <quantile>:<error>`)
      return []
    }
    if (quantile > 0 && quantile < 1 && error > 0 && error < 1) return [{ quantile, error }]
    notices.push(`Invalid option: [${pair}]. Error: quantile and error must be between 0 and 1`)
    return []
  })
}

function interval(milliseconds: number): number {
  if (milliseconds > 0) return milliseconds
  throw new UsageError('Error: --metrics-interval-ms must be greater than 0.', 'metrics-interval-ms')
}
