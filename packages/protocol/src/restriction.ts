import { TritonError } from '@triton-ts/core'

/** Parts of the API that can be restricted together; Triton's names. */
export const restrictedApis = [
  'health',
  'metadata',
  'inference',
  'shared-memory',
  'model-config',
  'model-repository',
  'statistics',
  'trace',
  'logging',
] as const

export type RestrictedApi = (typeof restrictedApis)[number]

/** Requests to `apis` must carry the header `key` with exactly this `value`. */
export interface Restriction {
  readonly apis: readonly RestrictedApi[]
  readonly key: string
  readonly value: string
}

/**
 * The restriction of each API that has one.
 * @throws TritonError INVALID_ARG for an unknown API and for one that stands in two restrictions.
 */
export function restrictionsByApi(restrictions: readonly Restriction[]): ReadonlyMap<RestrictedApi, Restriction> {
  const byApi = new Map<RestrictedApi, Restriction>()
  for (const restriction of restrictions) {
    for (const api of restriction.apis) {
      if (!restrictedApis.includes(api)) throw new TritonError('INVALID_ARG', `unknown restricted api '${api}'`)
      if (byApi.has(api)) {
        throw new TritonError('INVALID_ARG', `restricted api '${api}' can not be specified in multiple config groups`)
      }
      byApi.set(api, restriction)
    }
  }
  return byApi
}
