/** Headers of a connection, which HTTP/2 does not have. Source: RFC 9113, section 8.2.2. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])

/** Whether these are headers of a request: names and values in turn. Source: RFC 9113, sections 8.2 and 8.3. */
export function areRequestHeaders(headers: readonly string[]): boolean {
  let pseudo = ''
  let isRegular = false
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string
    const value = headers[i + 1] as string
    if (name.startsWith(':')) {
      if (isRegular || pseudo.includes(`${name} `)) return false
      pseudo += `${name} `
      if (name === ':path' && value === '') return false
      if (!isValue(value)) return false
    } else {
      isRegular = true
      if (!isRegularHeader(name, value)) return false
    }
  }
  const hasNeeded = pseudo.includes(':method ') && pseudo.includes(':scheme ') && pseudo.includes(':path ')
  return hasNeeded && /^(:(method|scheme|path|authority) )+$/.test(pseudo)
}

/** Whether these may follow the content of a request: they have no pseudo-headers. Source: RFC 9113, section 8.1. */
export function areTrailers(headers: readonly string[]): boolean {
  for (let i = 0; i < headers.length; i += 2) {
    if (!isRegularHeader(headers[i] as string, headers[i + 1] as string)) return false
  }
  return true
}

/** Bytes that the request says that it has; undefined where it says none, `NaN` for what is no length. */
export function contentLengthOf(headers: readonly string[]): number | undefined {
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] !== 'content-length') continue
    const value = headers[i + 1] as string
    return /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
  }
  return undefined
}

function isRegularHeader(name: string, value: string): boolean {
  if (!/^[!-9;-@[-~]+$/.test(name) || connectionHeaders.has(name)) return false
  return isValue(value) && (name !== 'te' || value === 'trailers')
}

const isValue = (value: string): boolean => !/[\0\r\n]/.test(value)
