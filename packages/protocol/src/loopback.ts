import { isIPv4 } from 'node:net'

/** Whether an endpoint that is bound to this address is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true
  const mapped = host.toLowerCase().replace(/^::ffff:/, '')
  return isIPv4(mapped) && mapped.startsWith('127.')
}
