import { UsageError } from '../flags/usage-error.ts'
import { type NamedSettings, namedSettings } from './named-settings.ts'

/**
 * Reads `--backend-config`: `<backend>,<key>=<value>`, or `<key>=<value>` for all backends (name `''`).
 * @throws UsageError
 */
export function backendConfig(values: readonly string[]): NamedSettings {
  return namedSettings(values, refuse, '')
}

function refuse(value: string): never {
  throw new UsageError(
    value.startsWith(',')
      ? `No backend specified. --backend-config option format is <backend name>,<setting>=<value> or <setting>=<value>. Got ${value}`
      : `--backend-config option format is '<backend name>,<setting>=<value>'. Got ${value}`,
    'backend-config',
  )
}
