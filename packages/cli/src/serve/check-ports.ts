import { UsageError } from '../flags/usage-error.ts'
import type { Address } from './address.ts'

/** What listens, by the name that errors have for it; absent where it is not asked for. */
type Addresses = Readonly<Record<string, Address | undefined>>

/** @throws UsageError when two endpoints would have the same address and port. */
export function checkPorts(addresses: Addresses): void {
  const taken = new Map<string, string>()
  for (const [name, address] of Object.entries(addresses)) {
    if (address === undefined || address.port === 0) continue
    const where = `${address.host}:${address.port}`
    const other = taken.get(where)
    if (other !== undefined) {
      throw new UsageError(
        `The server cannot listen to ${other} requests and ${name} requests at the same address and port ${where}`,
      )
    }
    taken.set(where, name)
  }
}
