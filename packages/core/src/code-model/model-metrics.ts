import type { MetricFamilySnapshot } from '../metrics/metric-family.ts'

export type MetricLabels = Readonly<Record<string, string>>

/** A number that only grows. */
export interface Counter {
  /** @param amount 0 or more; default 1. @throws RangeError when it is less. */
  add(amount?: number, labels?: MetricLabels): void
}

/** A number that goes up and down. */
export interface Gauge {
  set(value: number, labels?: MetricLabels): void
  /** @param amount default 1. */
  add(amount?: number, labels?: MetricLabels): void
}

/** How observed values are spread. */
export interface Histogram {
  observe(value: number, labels?: MetricLabels): void
}

/** Metrics of a model. All instances of a version share them; they are gone when it is unloaded. */
export interface ModelMetrics {
  /** @param name as in Prometheus; the same name is the same metric. */
  counter(name: string, help: string): Counter
  gauge(name: string, help: string): Gauge
  /** @param buckets upper bounds, ascending. */
  histogram(name: string, help: string, buckets: readonly number[]): Histogram
}

type MetricHead = Pick<MetricFamilySnapshot, 'name' | 'help' | 'type'> & { readonly buckets?: readonly number[] }

/** A change of a metric; it may come from another thread. */
export interface MetricChange {
  readonly family: MetricHead
  readonly labels: MetricLabels
  readonly kind: 'add' | 'set' | 'observe'
  readonly value: number
}

/** Metrics whose changes go elsewhere. */
export function modelMetrics(record: (change: MetricChange) => void): ModelMetrics {
  const heads = new Map<string, MetricHead>()
  const known = (head: MetricHead): MetricHead => {
    const first = heads.get(head.name)
    if (first === undefined) {
      checkName(head.name)
      heads.set(head.name, head)
      return head
    }
    if (first.type === head.type && first.buckets?.join() === head.buckets?.join()) return first
    throw new TypeError(`metric '${head.name}' is a ${first.type} already, or has other buckets`)
  }
  const write =
    (family: MetricHead, kind: MetricChange['kind']) =>
    (value = 1, labels: MetricLabels = {}): void =>
      record({ family, labels: asTexts(labels), kind, value })
  return {
    counter(name, help) {
      const family = known({ name, help, type: 'counter' })
      const add = write(family, 'add')
      return {
        add(amount = 1, labels) {
          if (!(amount >= 0)) throw new RangeError(`counter '${name}' cannot change by ${amount}`)
          add(amount, labels)
        },
      }
    },
    gauge(name, help) {
      const family = known({ name, help, type: 'gauge' })
      return { set: write(family, 'set'), add: write(family, 'add') }
    },
    histogram(name, help, buckets) {
      const family = known({ name, help, type: 'histogram', buckets })
      return { observe: write(family, 'observe') }
    },
  }
}

/** Also of numbers, and of what could not be sent to another thread. */
const asTexts = (labels: MetricLabels): MetricLabels =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]))

function checkName(name: string): void {
  if (/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) return
  throw new TypeError(`'${name}' is no name of a metric: letters, digits, '_' and ':', not starting with a digit`)
}
