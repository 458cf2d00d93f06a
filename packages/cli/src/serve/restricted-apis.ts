import { UsageError } from '../flags/usage-error.ts'

export interface RestrictedApi {
  readonly apis: readonly string[]
  /** Name of the header that a request must have. */
  readonly key: string
  readonly value: string
}

const apiNames: readonly string[] = [
  'health',
  'metadata',
  'inference',
  'shared-memory',
  'model-config',
  'model-repository',
  'statistics',
  'trace',
  'logging',
]

const flag = 'http-restricted-api'

/**
 * Reads `--http-restricted-api`: `<api>[,<api>]:<key>=<value>`.
 * @throws UsageError
 */
export function restrictedApis(settings: readonly string[]): RestrictedApi[] {
  const seen = new Set<string>()
  return settings.map((setting) => {
    const [, apis, key, value] = /^([^:]+):([^=]+)=(.+)$/s.exec(setting) ?? []
    if (apis === undefined || key === undefined || value === undefined) {
      throw new UsageError(`--${flag} option format is '<config name>:<setting>=<value>'. Got ${setting}`, flag)
    }
    for (const api of apis.split(',')) {
      if (!apiNames.includes(api)) throw new UsageError(`unknown restricted api '${api}'`, flag)
      if (seen.has(api)) {
        throw new UsageError(`restricted api '${api}' can not be specified in multiple config groups`, flag)
      }
      seen.add(api)
    }
    return { apis: apis.split(','), key, value }
  })
}
