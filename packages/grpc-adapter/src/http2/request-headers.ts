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
    if (name.startsWith(':')) {
      if (isRegular || pseudo.includes(`${name} `)) return false
      pseudo += `${name} `
    } else {
      isRegular = true
      if (!/^[!-9;-@[-~]+$/.test(name) || connectionHeaders.has(name)) return false
    }
    if (/[\0\r\n]/.test(headers[i + 1] as string)) return false
  }
  const hasNeeded = pseudo.includes(':method ') && pseudo.includes(':scheme ') && pseudo.includes(':path ')
  return hasNeeded && /^(:(method|scheme|path|authority) )+$/.test(pseudo)
}
