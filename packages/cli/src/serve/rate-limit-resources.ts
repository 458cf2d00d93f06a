import type { RateLimitResource } from '@triton-ts/core'
import { UsageError } from '../flags/usage-error.ts'

const flag = 'rate-limit-resource'

/**
 * Reads `--rate-limit-resource`: `<name>:<count>` for every device, or `<name>:<count>:<device>`. As for tritonserver,
 * device -1 is every device.
 * @throws UsageError
 */
export function rateLimitResources(settings: readonly string[]): RateLimitResource[] {
  return settings.map((setting) => {
    const [name = '', count, device, ...rest] = setting.split(':')
    if (count === undefined || rest.length > 0) {
      throw new UsageError(
        `--${flag} option format is '<resource_name>:<count>:<device>' or '<resource_name>:<count>'. Got ${setting}`,
        flag,
      )
    }
    const resource = { name, count: integer(count, 0) }
    const deviceId = device === undefined ? -1 : integer(device, -1)
    return deviceId === -1 ? resource : { ...resource, device: deviceId }
  })
}

function integer(text: string, least: number): number {
  if (!/^[+-]?\d+$/.test(text)) throw new UsageError(`Invalid option value. Got ${text}`, flag)
  const value = Number(text)
  if (value >= least && value < 2 ** 31) return value
  throw new UsageError(`Provided option value is out of bound. Got ${text}`, flag)
}
