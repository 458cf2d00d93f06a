import type { FlagValues } from '../flags/flags.ts'
import { UsageError } from '../flags/usage-error.ts'
import type { HttpSettings } from './http-settings.ts'

/** Requests of the live page are treated as those of the HTTP server, whether or not that is served. */
export interface DashboardSettings extends Omit<HttpSettings, 'host' | 'port'> {
  readonly allowedHosts: readonly string[]
}

/**
 * What `--allow-dashboard` asks for; undefined without it.
 * @throws UsageError
 */
export function dashboardSettings(values: FlagValues, http: HttpSettings): DashboardSettings | undefined {
  const allowedHosts = values['dashboard-allowed-host']
  if (!values['allow-dashboard']) {
    if (allowedHosts.length === 0) return undefined
    throw new UsageError("Error: Use of '--dashboard-allowed-host' requires setting '--allow-dashboard' as well.")
  }
  if (!values['allow-metrics']) {
    throw new UsageError("Error: Use of '--allow-dashboard' requires setting '--allow-metrics=true' as well.")
  }
  const { host: _, port: __, ...protocol } = http
  return { ...protocol, allowedHosts }
}
