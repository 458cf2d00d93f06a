import { isIP } from 'node:net'
import type { UniversalRequest } from '@triton-ts/http-adapter'

/** Content types that a page elsewhere cannot send without asking first, which nobody answers here. */
const bodyTypes = /^application\/(?:json|octet-stream)\s*(?:;|$)/i

/**
 * Why a request is not answered: a browser may have been made to send it by a page that has no business here. What is
 * not a browser tells no origin, and may ask as it likes.
 * @param allowedHosts names in lower case, besides addresses and `localhost`.
 */
export function foreignRequest(request: UniversalRequest, allowedHosts: ReadonlySet<string>): string | undefined {
  const host = request.header('host')
  // A name that somebody else owns may be made to point here at any time (DNS rebinding).
  if (host !== undefined && !isOurs(host, allowedHosts)) {
    return `the live page does not answer under the name in Host '${host}': use an IP address, or allow the name: allowedHosts, --dashboard-allowed-host`
  }
  if (request.path === '/' && request.method === 'GET') return undefined
  const site = request.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return crossSite
  const origin = request.header('origin')
  if (origin !== undefined && !isSameHost(origin, host, allowedHosts)) return crossSite
  if (request.method === 'GET' || bodyTypes.test(request.header('content-type') ?? '')) return undefined
  return "the Content-Type of a request to the live page must be 'application/json' or 'application/octet-stream'"
}

const crossSite = 'the live page answers no requests of other sites'

function isOurs(host: string, allowedHosts: ReadonlySet<string>): boolean {
  const name = hostname(`http://${host}`)
  if (name === undefined) return false
  return isIP(name.replace(/^\[|\]$/g, '')) > 0 || /(?:^|\.)localhost$/.test(name) || allowedHosts.has(name)
}

/** Behind a proxy the page has another host than the request, and must have a name that is allowed. */
function isSameHost(origin: string, host: string | undefined, allowedHosts: ReadonlySet<string>): boolean {
  if (!/^https?:\/\//.test(origin)) return false
  return origin.replace(/^https?:\/\//, '') === host || allowedHosts.has(hostname(origin) ?? '')
}

function hostname(url: string): string | undefined {
  // Whatever else a URL may hold is no host.
  return /[/@?#\\]/.test(url.replace(/^https?:\/\//, '')) || !URL.canParse(url)
    ? undefined
    : new URL(url).hostname.replace(/\.$/, '')
}
