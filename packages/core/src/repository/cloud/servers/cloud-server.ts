import type { Environment } from '../credentials.ts'

/** A real server that speaks a cloud's protocol, on a port of this machine. */
export interface CloudServer {
  /** `http://127.0.0.1:port` */
  readonly origin: string
  /** Credentials that the server takes. */
  readonly environment: Environment
  /** Credentials that the server refuses; undefined where it asks for none. */
  readonly wrongEnvironment?: Environment | undefined
  /** The path of a repository in a bucket. */
  path(bucket: string, prefix: string): string
  /** The same server by the address of a proxy before it. */
  behind(origin: string): Pick<CloudServer, 'path' | 'environment'>
  createBucket(bucket: string): Promise<void>
  put(bucket: string, key: string, content: Buffer | string): Promise<void>
  remove(bucket: string, key: string): Promise<void>
  stop(): Promise<void>
}

/** One kind of server. */
export interface ServerKind {
  readonly name: string
  /** Why this machine has none; a test that needs one is skipped. */
  readonly missing?: string | undefined
  /** It gives the new content of an object that has changed since it was listed. */
  readonly ignoresIfMatch?: boolean | undefined
  /** It tells a checksum or an MD5 of an object. */
  readonly tellsChecksums?: boolean | undefined
  start(): Promise<CloudServer>
}
