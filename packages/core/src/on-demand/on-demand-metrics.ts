import type { MetricFamilySnapshot } from '../metrics/metric-family.ts'

export interface OnDemandFigures {
  readonly loads: number
  readonly failures: number
  readonly evictions: number
  /** Bytes. */
  readonly used: number
  /** Bytes; infinite without a limit. */
  readonly budget: number
  readonly waiting: number
}

/** The families `triton_ts_on_demand_*`. */
export function onDemandMetrics(figures: OnDemandFigures): MetricFamilySnapshot[] {
  const family = (type: 'counter' | 'gauge', name: string, help: string, value: number): MetricFamilySnapshot => ({
    type,
    name: `triton_ts_on_demand_${name}`,
    help,
    samples: [{ labels: {}, value }],
  })
  return [
    family('counter', 'loads_total', 'Number of models loaded because they were asked for', figures.loads),
    family('counter', 'load_failures_total', 'Number of such loads that failed', figures.failures),
    family('counter', 'evictions_total', 'Number of models evicted', figures.evictions),
    family('gauge', 'memory_used_bytes', 'Memory that models take of the budget', figures.used),
    family('gauge', 'memory_budget_bytes', 'Memory that models may take', figures.budget),
    family('gauge', 'waiting_loads', 'Number of loads that wait for memory', figures.waiting),
  ]
}
