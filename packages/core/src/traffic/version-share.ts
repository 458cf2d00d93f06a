import { TritonError } from '../errors.ts'
import type { VersionWeights } from './traffic-split.ts'

/** What a version gets of the traffic. */
export interface VersionShare {
  readonly version: number
  readonly weight: number
}

/**
 * Reads weights, lowest version first.
 * @param model whose they are, for the error.
 * @throws TritonError INVALID_ARG for what is not a version, or not a weight of 0 or more, and when no weight is above 0.
 */
export function versionShares(weights: VersionWeights, model: string): VersionShare[] {
  const fail = (problem: string): TritonError =>
    new TritonError('INVALID_ARG', `the traffic split of model '${model}' ${problem}`)
  if (typeof weights !== 'object' || weights === null) throw fail('has no weights; { 1: 90, 2: 10 } for instance')
  const shares = Object.entries(weights).map(([text, weight]: [string, unknown]): VersionShare => {
    const version = Number(text)
    const isVersion = /^(0|[1-9]\d*)$/.test(text) && Number.isSafeInteger(version)
    if (!isVersion) throw fail(`has a weight for '${text}', which is no version`)
    if (typeof weight === 'number' && Number.isFinite(weight) && weight >= 0) return { version, weight }
    throw fail(`gives version ${version} the weight ${String(weight)}; it must be a number of 0 or more`)
  })
  const total = totalWeight(shares)
  if (total === 0) throw fail('needs a version with a weight above 0')
  if (total === Number.POSITIVE_INFINITY) throw fail('has weights that are too large to be added up')
  return shares.sort((a, b) => a.version - b.version)
}

/** The shares of the versions that are ready; a weight of 0 is no share. */
export const readyShares = (
  shares: readonly VersionShare[],
  ready: readonly { readonly version: number }[],
): VersionShare[] =>
  shares.filter(({ version, weight }) => weight > 0 && ready.some((model) => model.version === version))

export function totalWeight(shares: Iterable<VersionShare>): number {
  let total = 0
  for (const { weight } of shares) total += weight
  return total
}
