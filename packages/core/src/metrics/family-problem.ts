import type { FamilyNames } from './family-names.ts'
import { type FamilyHead, isHistogram, type MetricFamilySnapshot, type MetricSample } from './metric-family.ts'

/**
 * What about a family would spoil the page; undefined for nothing. Who wrote it need not have had its types.
 * @param known the family of that name that there is already.
 */
export function familyProblem(
  family: MetricFamilySnapshot,
  taken: FamilyNames,
  known: FamilyHead | undefined,
): string | undefined {
  const { name, type, help, samples } = family
  if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) return 'a name has letters, digits, _ and : and starts with no digit'
  if (typeof help !== 'string') return 'its help is no text'
  if (known !== undefined && known.type !== type) return `it is a ${type}, and there is a ${known.type} of that name`
  const owner = known === undefined ? taken.conflict(family) : undefined
  if (owner === name) return 'the server has a metric of that name'
  if (owner !== undefined) return `its series would be mistaken for those of ${owner}`
  for (const sample of samples) {
    const problem = sampleProblem(sample, type) ?? labelProblem(sample, type)
    if (problem !== undefined) return problem
  }
  return undefined
}

function sampleProblem(sample: MetricSample, type: MetricFamilySnapshot['type']): string | undefined {
  if (isHistogram(sample) !== (type === 'histogram')) return `a sample does not fit a ${type}`
  if (!isHistogram(sample)) {
    if (type !== 'counter' || sample.value >= 0) return undefined
    return `a counter is a number from 0 on, and this one is ${sample.value}`
  }
  let [bound, below] = [Number.NEGATIVE_INFINITY, 0]
  for (const { le, count } of [...sample.buckets, { le: Number.POSITIVE_INFINITY, count: sample.count }]) {
    const isLast = le === Number.POSITIVE_INFINITY
    if (!(le > bound || isLast) || !(count >= below)) return 'the bounds or counts of a histogram go down'
    bound = le
    below = count
  }
  return undefined
}

function labelProblem({ labels }: MetricSample, type: MetricFamilySnapshot['type']): string | undefined {
  for (const [label, value] of Object.entries(labels)) {
    const isName = /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label)
    if (!isName || label === '__name__' || (type === 'histogram' && label === 'le'))
      return `it cannot have a label '${label}'`
    if (typeof value !== 'string') return `its label '${label}' is no text`
  }
  return undefined
}
