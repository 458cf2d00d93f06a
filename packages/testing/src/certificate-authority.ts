import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { bits, boolean, identifier, integer, octets, sequence, set, tagged, text, time } from './der.ts'

/** A certificate and its key, in PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** Signs certificates for tests. */
export interface CertificateAuthority {
  /** Its own certificate, in PEM: what the other side trusts. */
  readonly cert: string
  /** A certificate for servers and clients alike. Servers can have it at `localhost` and at `127.0.0.1`. */
  issue(name: string): Certificate
}

/** An authority that nobody knows yet, with keys of its own. Its certificates hold from yesterday on for a year. */
export function certificateAuthority(name = 'test authority'): CertificateAuthority {
  const authority = keyPair()
  const caOnly = extension('2.5.29.19', sequence(boolean(true)), true)
  // Signs certificates, and lists of those that do not hold any more.
  const usage = extension('2.5.29.15', bits(Buffer.from([0b110]), 1), true)
  return {
    cert: certificate(name, name, authority.publicKey, authority.privateKey, [caOnly, usage]),
    issue(subject) {
      const { publicKey, privateKey } = keyPair()
      const names = [tagged(2, Buffer.from('localhost'), false), tagged(7, Buffer.from([127, 0, 0, 1]), false)]
      const reached = extension('2.5.29.17', sequence(...names))
      return {
        cert: certificate(subject, name, publicKey, authority.privateKey, [reached]),
        key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      }
    },
  }
}

const keyPair = (): { publicKey: KeyObject; privateKey: KeyObject } =>
  generateKeyPairSync('ec', { namedCurve: 'prime256v1' })

/** ECDSA with SHA-256. */
const algorithm = sequence(identifier('1.2.840.10045.4.3.2'))

const commonName = (name: string): Buffer => sequence(set(sequence(identifier('2.5.4.3'), text(name))))

const extension = (id: string, content: Uint8Array, critical = false): Buffer =>
  sequence(identifier(id), ...(critical ? [boolean(true)] : []), octets(content))

const day = 24 * 3600 * 1000

/** A certificate of version 3, RFC 5280, 4.1. */
function certificate(
  subject: string,
  issuer: string,
  publicKey: KeyObject,
  signingKey: KeyObject,
  extensions: readonly Uint8Array[],
): string {
  const now = Date.now()
  const content = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    commonName(issuer),
    sequence(time(new Date(now - day)), time(new Date(now + 365 * day))),
    commonName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...extensions)),
  )
  const der = sequence(content, algorithm, bits(sign('sha256', content, signingKey)))
  const lines = der.toString('base64').match(/.{1,64}/g) as string[]
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
