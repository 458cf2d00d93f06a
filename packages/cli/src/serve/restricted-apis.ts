import { type RestrictedApi, type Restriction, restrictedApis } from '@triton-ts/protocol'
import { UsageError } from '../flags/usage-error.ts'

const flag = 'http-restricted-api'

/**
 * Reads `--http-restricted-api`: `<api>[,<api>]:<key>=<value>`.
 * @throws UsageError
 */
export function parseRestrictions(settings: readonly string[]): Restriction[] {
  const seen = new Set<RestrictedApi>()
  return settings.map((setting) => {
    const [, names, key, value] = /^([^:]+):([^=]+)=(.+)$/s.exec(setting) ?? []
    if (names === undefined || key === undefined || value === undefined) {
      throw new UsageError(`--${flag} option format is '<config name>:<setting>=<value>'. Got ${setting}`, flag)
    }
    const apis = names.split(',').map(apiName)
    for (const api of apis) {
      if (seen.has(api)) {
        throw new UsageError(`restricted api '${api}' can not be specified in multiple config groups`, flag)
      }
      seen.add(api)
    }
    return { apis, key, value }
  })
}

function apiName(name: string): RestrictedApi {
  const api = restrictedApis.find((candidate) => candidate === name)
  if (api === undefined) throw new UsageError(`unknown restricted api '${name}'`, flag)
  return api
}
