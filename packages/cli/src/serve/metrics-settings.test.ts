import { expect, test } from 'vitest'
import { settingsOf } from './settings.ts'

const metricsOf = (...args: string[]) => settingsOf(args).server.metrics

test('by default everything of Triton that is on there is on', () => {
  const settings = settingsOf([])
  expect(settings.server.metrics).toEqual({ cpu: true, interval: 2000, pinnedMemoryPool: 268435456 })
  expect(settings.gpuMetrics).toBe(true)
})

test('without metrics the machine is not looked at', () => {
  const settings = settingsOf(['--allow-metrics=false'])
  expect([settings.server.metrics?.cpu, settings.gpuMetrics]).toEqual([false, false])
  expect(metricsOf('--allow-cpu-metrics=false')?.cpu).toBe(false)
  expect(settingsOf(['--allow-gpu-metrics=false']).gpuMetrics).toBe(false)
})

test('--metrics-config says which families there are', () => {
  const config = ['counter_latencies=false', 'histogram_latencies=true', 'summary_latencies=true', 'triton_ts=false']
  const quantiles = 'summary_quantiles=0.5:0.05,0.9:0.01'
  expect(metricsOf(...[...config, quantiles].map((one) => `--metrics-config=${one}`))).toMatchObject({
    counterLatencies: false,
    histogramLatencies: true,
    summaryLatencies: true,
    ownFamilies: false,
    summaryQuantiles: [
      { quantile: 0.5, error: 0.05 },
      { quantile: 0.9, error: 0.01 },
    ],
  })
  expect(metricsOf('--metrics-config=summary_latencies=yes', '--metrics-interval-ms=500.5')).toMatchObject({
    summaryLatencies: false,
    interval: 500.5,
  })
})

test.each(['counter_latencies', 'global,counter_latencies=true', '=true', 'summary_latencies='])(
  '--metrics-config=%s is refused with the text of Triton',
  (value) => {
    expect(() => settingsOf([`--metrics-config=${value}`])).toThrow(
      `--metrics-config option format is <setting>=<value>. Got ${value}`,
    )
  },
)

test('a quantile that is none is left out, and that is told', () => {
  const settings = settingsOf(['--metrics-config=summary_quantiles=0.5:0.05,0.9,2:0.1', '--metrics-config=speed=1'])
  expect(settings.server.metrics?.summaryQuantiles).toEqual([{ quantile: 0.5, error: 0.05 }])
  expect(settings.notices).toEqual([
    "Invalid option: [0.9]. No ':' delimiter found. Expected format is <quantile>:<error>",
    'Invalid option: [2:0.1]. Error: quantile and error must be between 0 and 1',
    '--metrics-config=speed has no effect: metrics have no such setting',
  ])
})

test.each(['0', '-1'])('an interval of %s is refused', (interval) => {
  expect(() => settingsOf([`--metrics-interval-ms=${interval}`])).toThrow(
    'Error: --metrics-interval-ms must be greater than 0.',
  )
})
