import { describe, expect, test } from 'vitest'
import { parseFlags } from '../flags/parse-flags.ts'
import { type TraceSettings, traceSettings } from './trace-settings.ts'

const settings = (args: readonly string[], environment: NodeJS.ProcessEnv = {}): TraceSettings =>
  traceSettings(parseFlags(args), environment)

test('nothing is traced by default', () => {
  expect(settings([])).toEqual({
    options: { level: [], rate: 1000, count: -1, logFrequency: 0, file: '' },
    notices: [],
  })
})

test('levels add up, other settings are the last ones', () => {
  const flags = [
    'level=TIMESTAMPS',
    'level=tensors',
    'rate=5',
    'rate=6',
    'count=7',
    'triton,file=f,1',
    'triton,log-frequency=8',
  ]
  expect(settings(flags.map((flag) => `--trace-config=${flag}`)).options).toEqual({
    level: ['TIMESTAMPS', 'TENSORS'],
    rate: 6,
    count: 7,
    logFrequency: 8,
    file: 'f,1',
  })
  expect(settings(['--trace-config=level=on', '--trace-config=level=off']).options.level).toEqual([])
})

test('the deprecated flags still count, where trace-config says nothing', () => {
  const old = ['--trace-file=f', '--trace-level=max', '--trace-rate=2', '--trace-count=3', '--trace-log-frequency=4']
  const { options, notices } = settings([...old, '--trace-config=rate=9'])
  expect(options).toEqual({ level: ['TIMESTAMPS'], rate: 9, count: 3, logFrequency: 4, file: 'f' })
  expect(notices).toHaveLength(5)
  expect(notices[0]).toBe(
    "'--trace-file' has been deprecated! Please use '--trace-config triton,file=<filepath>' instead.",
  )
})

test('with opentelemetry, spans go to a collector', () => {
  const flags = [
    'mode=OpenTelemetry',
    'opentelemetry,url=http://c/v1/traces',
    'opentelemetry,resource=a=b=c',
    'opentelemetry,resource=d=e',
  ]
  const { openTelemetry, options } = settings(
    [...flags, 'opentelemetry,bsp_max_queue_size=9'].map((flag) => `--trace-config=${flag}`),
    { OTEL_BSP_MAX_QUEUE_SIZE: '7', OTEL_BSP_SCHEDULE_DELAY: '8' },
  )
  expect(openTelemetry).toEqual({
    url: 'http://c/v1/traces',
    resource: { a: 'b=c', d: 'e' },
    maxQueueSize: 9,
    scheduleDelay: 8,
    maxExportBatchSize: 512,
    settings: {
      url: 'http://c/v1/traces',
      resource: 'd=e',
      bsp_max_queue_size: '9',
      bsp_schedule_delay: '8',
      bsp_max_export_batch_size: '512',
    },
  })
  expect(options).toEqual({ level: [], rate: 1000, count: -1 })
})

test('settings that there are not', () => {
  expect(settings(['--trace-config=colour=red', '--trace-config=triton,colour=red']).notices).toEqual([
    '--trace-config=colour has no effect: there is no such setting',
    '--trace-config=triton,colour has no effect: there is no such setting',
  ])
})

describe('what is refused', () => {
  test.each([
    ['level=LOUD', 'Bad option: "--trace-config level".\ninvalid value for trace level option: loud'],
    ['rate=often', 'Bad option: "--trace-config rate".\nInvalid option value. Got often'],
    ['triton,log-frequency=x', 'Bad option: "--trace-config triton,log-frequency".\nInvalid option value. Got x'],
    ['mode=both', 'invalid value for trace mode option: both. Available options are "triton" and "opentelemetry"'],
    ['jaeger,url=x', 'invalid value for trace mode option: jaeger. Available options are'],
    [',rate=5', 'No trace mode specified. --trace-config option format is <trace mode>,<setting>=<value> or'],
    ['rate', "--trace-config option format is '<trace mode>,<setting>=<value>'. Got rate"],
    ['rate=', "--trace-config option format is '<trace mode>,<setting>=<value>'. Got rate="],
  ])('%s', (flag, text) => {
    expect(() => settings([`--trace-config=${flag}`])).toThrow(text)
  })

  test('limits that are no numbers, wherever they come from', () => {
    const mode = '--trace-config=mode=opentelemetry'
    expect(() => settings([mode, '--trace-config=opentelemetry,bsp_schedule_delay=-1'])).toThrow(
      'Bad option: "--trace-config opentelemetry,bsp_schedule_delay".\nProvided option value is out of bound. Got -1',
    )
    expect(() => settings([mode], { OTEL_BSP_MAX_QUEUE_SIZE: 'many' })).toThrow(
      'Bad option: "OTEL_BSP_MAX_QUEUE_SIZE".\nInvalid option value. Got many',
    )
  })
})
