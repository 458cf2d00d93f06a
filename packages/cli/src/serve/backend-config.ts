import { UsageError } from '../flags/usage-error.ts'

type BackendConfig = Record<string, Record<string, string>>

/**
 * Reads `--backend-config`: `<backend>,<key>=<value>`, or `<key>=<value>` for all backends (name `''`).
 * @throws UsageError
 */
export function backendConfig(settings: readonly string[]): BackendConfig {
  const config: BackendConfig = {}
  for (const setting of settings) {
    if (setting.startsWith(',')) {
      throw new UsageError(
        `No backend specified. --backend-config option format is <backend name>,<setting>=<value> or <setting>=<value>. Got ${setting}`,
        'backend-config',
      )
    }
    const [, backend = '', key, value] = /^(?:([^,]+),)?([^=]+)=(.+)$/s.exec(setting) ?? []
    if (key === undefined || value === undefined) {
      throw new UsageError(
        `--backend-config option format is '<backend name>,<setting>=<value>'. Got ${setting}`,
        'backend-config',
      )
    }
    config[backend] = { ...config[backend], [key]: value }
  }
  return config
}
