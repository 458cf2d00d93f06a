import { promisify } from 'node:util'
import { deflate, gzip } from 'node:zlib'
import type { WholeResponse } from '../universal.ts'
import type { Encoding } from './accept-encoding.ts'

const compressors = { gzip: promisify(gzip), deflate: promisify(deflate) }

/** The response with its body compressed, off the event loop. */
export async function compress(
  response: WholeResponse,
  encoding: Exclude<Encoding, 'identity'>,
): Promise<WholeResponse> {
  const { status, headers, body } = response
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : Buffer.concat(body)
  const compressed = await compressors[encoding](bytes)
  return { status, headers: [...headers, 'Content-Encoding', encoding], body: [compressed] }
}
