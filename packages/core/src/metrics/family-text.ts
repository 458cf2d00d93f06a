import type { Logger } from '../util/logger.ts'
import { labelText } from './label-text.ts'
import type { HistogramSample, MetricFamilySnapshot, MetricSample } from './metric-family.ts'

/**
 * Families in Prometheus text format 0.0.4, a line each. Those of one name and type become one; one without samples is
 * left out, as in Triton. So is one that would spoil the page, which is logged: with a name that Prometheus does not
 * take, or one that belongs to a family of another type.
 * @param taken names of families that are on the page already.
 */
export function familyLines(
  families: readonly MetricFamilySnapshot[],
  taken: ReadonlySet<string>,
  logger: Logger,
): string[] {
  const merged = new Map<string, MetricFamilySnapshot>()
  for (const family of families) {
    const known = merged.get(family.name)
    const problem = whatIsWrong(family, taken, known)
    if (problem !== undefined) logger.warn({ metric: family.name }, `metric '${family.name}' is left out: ${problem}`)
    else merged.set(family.name, known ? { ...known, samples: [...known.samples, ...family.samples] } : family)
  }
  return [...merged.values()].flatMap((family) => (family.samples.length === 0 ? [] : linesOf(family)))
}

function whatIsWrong(
  { name, type, samples }: MetricFamilySnapshot,
  taken: ReadonlySet<string>,
  known: MetricFamilySnapshot | undefined,
): string | undefined {
  if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) return 'a name has letters, digits, _ and : and starts with no digit'
  if (taken.has(name)) return 'the server has a metric of that name'
  if (known !== undefined && known.type !== type) return `it is a ${type}, and there is a ${known.type} of that name`
  if (samples.some((sample) => isHistogram(sample) !== (type === 'histogram'))) return `a sample does not fit a ${type}`
  const labels = samples.flatMap((sample) => Object.keys(sample.labels))
  const bad = labels.find(
    (label) => !/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label) || (type === 'histogram' && label === 'le'),
  )
  return bad === undefined ? undefined : `it cannot have a label '${bad}'`
}

function linesOf({ name, help, type, samples }: MetricFamilySnapshot): string[] {
  const text = help.replace(/[\\\n]/g, (char) => (char === '\n' ? '\\n' : '\\\\'))
  return [
    `# HELP ${name} ${text}`,
    `# TYPE ${name} ${type}`,
    ...samples.flatMap((sample) =>
      isHistogram(sample) ? histogramLines(name, sample) : [line(name, labelText(sample.labels), sample.value)],
    ),
  ]
}

function histogramLines(name: string, { labels, buckets, sum, count }: HistogramSample): string[] {
  const shared = labelText(labels)
  const finite = buckets.filter(({ le }) => le !== Number.POSITIVE_INFINITY)
  return [
    ...[...finite, { le: Number.POSITIVE_INFINITY, count }].map((bucket) => {
      const le = labelText({ le: valueText(bucket.le) })
      return line(`${name}_bucket`, shared === '' ? le : `${shared},${le}`, bucket.count)
    }),
    line(`${name}_sum`, shared, sum),
    line(`${name}_count`, shared, count),
  ]
}

const isHistogram = (sample: MetricSample): sample is HistogramSample => 'buckets' in sample

const line = (name: string, labels: string, value: number): string =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${valueText(value)}`

function valueText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
