import { X509Certificate } from 'node:crypto'
import { Server as HttpServer, type RequestListener, type ServerOptions } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import { TritonError } from '@triton-ts/core'
import type { Pem, TlsOptions } from '@triton-ts/protocol'
import type { ResolvedConnectionLimits } from './connection-limits.ts'

/** `close` of node:http cuts connections whose response is made but not sent yet; `Connections` ends them here. */
class DrainingHttpServer extends HttpServer {
  override closeIdleConnections(): void {}
}

class DrainingHttpsServer extends HttpsServer {
  override closeIdleConnections(): void {}
}

/** How often slow clients are looked for in the time that they have. */
const checksPerTimeout = 4

/**
 * A server of node:http or, with `tls`, of node:https.
 * @throws TritonError INVALID_ARG for a key or certificate that cannot be used.
 */
export function drainingServer(
  listener: RequestListener,
  limits: ResolvedConnectionLimits,
  tls: TlsOptions | undefined,
): HttpServer | HttpsServer {
  const { headersTimeout, requestTimeout, keepAliveTimeout, maxHeaderSize } = limits
  const connectionsCheckingInterval = Math.ceil(Math.min(headersTimeout, requestTimeout) / checksPerTimeout)
  const timeouts = { headersTimeout, requestTimeout, keepAliveTimeout, connectionsCheckingInterval }
  const options = { ...timeouts, maxHeaderSize, noDelay: true }
  const server = tls === undefined ? new DrainingHttpServer(options, listener) : secureServer(options, listener, tls)
  server.maxConnections = limits.maxConnections
  // node:http would leave headers out; the service refuses requests with too many.
  server.maxHeadersCount = 0
  return server
}

function secureServer(options: ServerOptions, listener: RequestListener, { key, cert, ca }: TlsOptions): HttpsServer {
  const handshakeTimeout = options.headersTimeout as number
  try {
    // node:tls takes a text without certificates for an authority of nobody.
    if (ca !== undefined) new X509Certificate(ca)
    const client = ca === undefined ? {} : { ca: asPem(ca), requestCert: true, rejectUnauthorized: true }
    const secure = { key: asPem(key), cert: asPem(cert), ...client, handshakeTimeout }
    return new DrainingHttpsServer({ ...options, ...secure }, listener)
  } catch (error) {
    const text = `the TLS key or certificate cannot be used: ${(error as Error).message}`
    throw new TritonError('INVALID_ARG', text, { cause: error })
  }
}

const asPem = (pem: Pem): string => (typeof pem === 'string' ? pem : Buffer.from(pem).toString('latin1'))
