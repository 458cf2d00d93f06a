import { UsageError } from '../flags/usage-error.ts'

type HostPolicies = Record<string, Record<string, string>>

/**
 * Reads `--host-policy`: `<policy>,<setting>=<value>`.
 * @throws UsageError
 */
export function hostPolicies(settings: readonly string[]): HostPolicies {
  const policies = new Map<string, Record<string, string>>()
  for (const setting of settings) {
    const [, policy, key, value] = /^([^,]+),([^=]+)=(.+)$/s.exec(setting) ?? []
    if (policy === undefined || key === undefined || value === undefined) {
      const format = "--host-policy option format is '<policy name>,<setting>=<value>'"
      throw new UsageError(`${format}. Got ${setting}`, 'host-policy')
    }
    policies.set(policy, { ...policies.get(policy), [key]: value })
  }
  return Object.fromEntries(policies)
}
