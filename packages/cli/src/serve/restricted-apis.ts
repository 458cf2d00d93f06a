import { type RestrictedApi, type Restriction, restrictedApis } from '@triton-ts/protocol'
import { UsageError } from '../flags/usage-error.ts'

/** What each of the two flags calls the parts of a protocol. */
const kinds = { 'http-restricted-api': 'api', 'grpc-restricted-protocol': 'protocol' } as const

export type RestrictionFlag = keyof typeof kinds

/**
 * Reads the values of `--http-restricted-api` or of `--grpc-restricted-protocol`: `<api>[,<api>]:<key>=<value>`.
 * @throws UsageError
 */
export function parseRestrictions(flag: RestrictionFlag, settings: readonly string[]): Restriction[] {
  const seen = new Set<RestrictedApi>()
  return settings.map((setting) => {
    const [, names, key, value] = /^([^:]+):([^=]+)=(.+)$/s.exec(setting) ?? []
    if (names === undefined || key === undefined || value === undefined) {
      throw new UsageError(`--${flag} option format is '<config name>:<setting>=<value>'. Got ${setting}`, flag)
    }
    const apis = names.split(',').map((name) => readApi(flag, name))
    for (const api of apis) {
      if (seen.has(api)) {
        throw new UsageError(`restricted ${kinds[flag]} '${api}' can not be specified in multiple config groups`, flag)
      }
      seen.add(api)
    }
    return { apis, key, value }
  })
}

function readApi(flag: RestrictionFlag, name: string): RestrictedApi {
  const api = restrictedApis.find((candidate) => candidate === name)
  if (api === undefined) throw new UsageError(`unknown restricted ${kinds[flag]} '${name}'`, flag)
  return api
}
