import type { FlagValues } from '../flags/flags.ts'
import { UsageError } from '../flags/usage-error.ts'
import type { HttpSettings } from './settings.ts'

/** Requests of the live page are treated as those of the HTTP server, whether or not that is served. */
export interface DashboardSettings extends Omit<HttpSettings, 'host' | 'port'> {
  readonly allowedHosts: readonly string[]
}

/**
 * What `--allow-dashboard` asks for; undefined without it.
 * @throws UsageError
 */
export function dashboardSettings(values: FlagValues, http: HttpSettings): DashboardSettings | undefined {
  if (!values['allow-dashboard']) return undefined
  if (!values['allow-metrics']) {
    throw new UsageError("Error: Use of '--allow-dashboard' requires setting '--allow-metrics=true' as well.")
  }
  const { host: _, port: __, ...protocol } = http
  return { ...protocol, allowedHosts: values['dashboard-allowed-host'] }
}
