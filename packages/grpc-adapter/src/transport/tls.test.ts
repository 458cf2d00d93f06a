import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { credentials, Metadata, status } from '@grpc/grpc-js'
import { certificateAuthority } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { RawClient, rawService } from '../fixtures/raw-service.ts'

const none = new Metadata()
const text = Buffer.from('hello')

describe('TLS', () => {
  const authority = certificateAuthority()
  const ca = Buffer.from(authority.cert)
  const server = authority.issue('server')
  const own = authority.issue('client')
  const foreign = certificateAuthority('others').issue('client')

  test('a client that trusts the authority is served', async () => {
    await using service = await rawService({ tls: server })
    using client = new RawClient(service, {}, credentials.createSsl(ca))
    expect(await client.unary(text, none)).toEqual(text)
  })

  test('with mutual TLS only those with a certificate of the authority', async () => {
    await using service = await rawService({ tls: { ...server, ca: authority.cert } })
    const ask = async (certificate?: { cert: string; key: string }): Promise<unknown> => {
      const files = certificate && ([Buffer.from(certificate.key), Buffer.from(certificate.cert)] as const)
      using client = new RawClient(service, {}, credentials.createSsl(ca, ...(files ?? [])))
      return await client.unary(text, none).catch((error) => error.code)
    }
    expect(await ask(own)).toEqual(text)
    expect(await ask()).toBe(status.UNAVAILABLE)
    expect(await ask(foreign)).toBe(status.UNAVAILABLE)
  })

  test('a client that does not shake hands, or speaks another protocol, loses its connection', async () => {
    await using service = await rawService({ tls: server, handshakeTimeout: 50 })
    const silent = connect(service.port, '127.0.0.1')
    await once(silent.resume(), 'close')
    const other = connectTls({ port: service.port, ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] })
    const [error] = await once(other, 'error')
    expect(error.code).toBe('ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL')
  })

  test('a key that is none is named', async () => {
    await expect(rawService({ tls: { ...server, key: 'nonsense' } })).rejects.toThrow(
      /^failed to use the TLS certificates: /,
    )
  })
})
