import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { TritonError } from '@triton-ts/core'
import type { TlsOptions } from '@triton-ts/protocol'
import type { FlagValues } from '../flags/flags.ts'
import { UsageError } from '../flags/usage-error.ts'
import { failure } from './failure.ts'

/** Where the keys and certificates of an endpoint are, in PEM. */
export interface TlsFiles {
  readonly key: string
  readonly cert: string
  /** Authorities of clients, which must then show a certificate; `''`: they need none. */
  readonly ca: string
}

/**
 * The files of HTTP and metrics; undefined without TLS.
 * @throws UsageError for a certificate without its key, and the other way round.
 */
export function httpTlsFiles(values: FlagValues): TlsFiles | undefined {
  const files = { key: values['http-server-key'], cert: values['http-server-cert'], ca: values['http-root-cert'] }
  if (files.key === '' && files.cert === '' && files.ca === '') return undefined
  if (files.key !== '' && files.cert !== '') return files
  throw new UsageError('Error: HTTPS needs both --http-server-cert and --http-server-key.')
}

/**
 * What is in the files, if there are any.
 * @throws Error that names the file which cannot be read or used.
 */
export async function readTls(files: TlsFiles | undefined): Promise<TlsOptions | undefined> {
  if (files === undefined) return undefined
  const key = await read(files.key)
  const cert = await read(files.cert)
  // The endpoints would find out too, but only when all models are loaded, and without the name of the file.
  await naming(files.cert, 'used', () => createSecureContext({ cert }))
  await naming(files.key, 'used', () => createSecureContext({ cert, key }))
  if (files.ca === '') return { key, cert }
  const ca = await read(files.ca)
  await naming(files.ca, 'used', () => new X509Certificate(ca))
  return { key, cert, ca }
}

const read = (file: string): Promise<Buffer> => naming(file, 'read', () => readFile(file))

async function naming<T>(file: string, verb: 'read' | 'used', action: () => T | Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    const text = `the TLS file '${file}' cannot be ${verb}: ${(error as Error).message}`
    throw failure('creating server', new TritonError('INVALID_ARG', text, { cause: error }))
  }
}
