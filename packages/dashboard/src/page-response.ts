import { page } from 'virtual:page'
import type { WholeResponse } from '@triton-ts/http-adapter'

/** On every answer. */
export const securityHeaders: readonly string[] = [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['X-Frame-Options', 'DENY'],
  ...['Referrer-Policy', 'no-referrer'],
  ...['Cross-Origin-Resource-Policy', 'same-origin'],
  ...['Cache-Control', 'no-store'],
]

/** The page itself: it runs its own script and asks its own origin, and nothing else. */
export function pageResponse(): WholeResponse {
  const policy = [
    "default-src 'none'",
    `script-src ${page.scriptHash}`,
    `style-src ${page.styleHash}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  const headers = [
    ...['Content-Type', 'text/html; charset=utf-8'],
    ...['Content-Security-Policy', policy],
    ...['Cross-Origin-Opener-Policy', 'same-origin'],
    ...securityHeaders,
  ]
  return { status: 200, headers, body: [Buffer.from(page.html)] }
}
