import { readFile } from 'node:fs/promises'
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
 * @throws Error that names the file which cannot be read.
 */
export async function readTls(files: TlsFiles | undefined): Promise<TlsOptions | undefined> {
  if (files === undefined) return undefined
  const { key, cert, ca } = files
  return { key: await read(key), cert: await read(cert), ...(ca !== '' && { ca: await read(ca) }) }
}

async function read(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file)
  } catch (error) {
    const text = `the TLS file '${file}' cannot be read: ${(error as Error).message}`
    throw failure('creating server', new TritonError('INVALID_ARG', text, { cause: error }))
  }
}
