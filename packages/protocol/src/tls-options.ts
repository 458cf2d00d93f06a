/** A certificate or a key in PEM, as text or as the bytes of its file. */
export type Pem = string | Uint8Array

/** What an endpoint needs to serve over TLS. */
export interface TlsOptions {
  /** The private key of the server. */
  readonly key: Pem
  /** The certificate of the server, and behind it those that lead to a known authority. */
  readonly cert: Pem
  /**
   * Certificates of authorities. Where they are given, a client must show a certificate that one of them has signed
   * (mutual TLS). Default: clients need no certificate.
   */
  readonly ca?: Pem | undefined
}
