import { UsageError } from '../flags/usage-error.ts'
import { type NamedSettings, namedSettings } from './named-settings.ts'

/**
 * Reads `--host-policy`: `<policy>,<setting>=<value>`.
 * @throws UsageError
 */
export function hostPolicies(values: readonly string[]): NamedSettings {
  return namedSettings(values, (value) => {
    const format = "--host-policy option format is '<policy name>,<setting>=<value>'"
    throw new UsageError(`${format}. Got ${value}`, 'host-policy')
  })
}
