import { UsageError } from '../flags/usage-error.ts'

const apiNames = [
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

type ApiName = (typeof apiNames)[number]

/** A group of `--http-restricted-api`. */
export interface Restriction {
  readonly apis: readonly ApiName[]
  /** Name of the header that a request must have. */
  readonly key: string
  readonly value: string
}

const flag = 'http-restricted-api'

/**
 * Reads `--http-restricted-api`: `<api>[,<api>]:<key>=<value>`.
 * @throws UsageError
 */
export function restrictedApis(settings: readonly string[]): Restriction[] {
  const seen = new Set<ApiName>()
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

function apiName(name: string): ApiName {
  const api = apiNames.find((candidate) => candidate === name)
  if (api === undefined) throw new UsageError(`unknown restricted api '${name}'`, flag)
  return api
}
