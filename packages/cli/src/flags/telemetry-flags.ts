import { logFormats } from '@triton-ts/core'
import { bool, choice, float, level, list, port, text } from './flag.ts'

/** What is logged, where and how. */
export const loggingFlags = {
  'log-verbose': level(0, 'Verbose log level; 0 is off, 1 and more is on.'),
  'log-info': bool(true, 'Log information.'),
  'log-warning': bool(true, 'Log warnings.'),
  'log-error': bool(true, 'Log errors.'),
  'log-format': choice(
    'default',
    logFormats,
    '"default" is LMMDD hh:mm:ss.ssssss, "ISO8601" is YYYY-MM-DDThh:mm:ssZ L; "json", of triton-ts alone, is one ' +
      'JSON object in each line.',
  ),
  'log-file': text('', 'File that the log is appended to, instead of stderr.'),
}

/** The metrics server and its live page. */
export const metricsFlags = {
  'allow-metrics': bool(true, 'Serve Prometheus metrics.'),
  'allow-gpu-metrics': bool(true, 'Have GPU metrics among them.'),
  'allow-cpu-metrics': bool(true, 'Have CPU metrics among them.'),
  'metrics-address': text('', 'Address of the metrics server. Default: that of the HTTP server.'),
  'metrics-port': port(8002, 'Port of the metrics server; 0 takes a free one.'),
  'metrics-interval-ms': float(2000, 'Milliseconds between two looks at GPU and CPU metrics.'),
  'allow-dashboard': bool(
    false,
    'Serve the live page at / of the metrics server; whoever opens it can run models. A flag of triton-ts alone, as the one below.',
  ),
  'dashboard-allowed-host': list(
    '<name>',
    'Name under which browsers may open it, besides IP addresses and localhost.',
  ),
  'metrics-config': list(
    '<setting>=<value>',
    'counter_latencies, histogram_latencies or summary_latencies is true or false; summary_quantiles is ' +
      '<quantile>:<error>,...; triton_ts=false leaves out what triton-ts has beyond Triton.',
  ),
}

/** What is traced, and where traces go. */
export const tracingFlags = {
  'trace-config': list(
    '<mode>,<setting>=<value>',
    'A setting of traces: level, rate, count or mode, or one of a mode: triton,file=... and log-frequency, ' +
      'opentelemetry,url=..., resource, bsp_max_queue_size, bsp_schedule_delay and bsp_max_export_batch_size.',
  ),
}
