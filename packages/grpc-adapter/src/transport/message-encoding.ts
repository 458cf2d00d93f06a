import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { GrpcError } from './grpc-status.ts'

/** How messages of a call are compressed; `deflate` is zlib's format. Source: grpc/doc/compression.md. */
export type MessageEncoding = 'identity' | 'deflate' | 'gzip'

/** How much responses are compressed, as tritonserver's `--grpc-infer-response-compression-level` has it. */
export type CompressionLevel = 'none' | 'low' | 'medium' | 'high'

/** What this server reads, in the form of the `grpc-accept-encoding` header. */
export const acceptedEncodings = 'identity, deflate, gzip'

const compressors = { deflate: promisify(zlib.deflate), gzip: promisify(zlib.gzip) }
const decompressors = { deflate: promisify(zlib.inflate), gzip: promisify(zlib.gunzip) }

/** The encoding that a `grpc-encoding` header names; undefined for one that is not known here. */
export function encodingOf(name: string | undefined): MessageEncoding | undefined {
  if (name === undefined) return 'identity'
  return name === 'identity' || name === 'deflate' || name === 'gzip' ? name : undefined
}

/**
 * The encoding of responses to a client that reads what its `grpc-accept-encoding` header says.
 * Source: grpc_core, CompressionAlgorithmSet::CompressionAlgorithmForLevel.
 */
export function responseEncoding(level: CompressionLevel, accepted: string | undefined): MessageEncoding {
  if (level === 'none' || accepted === undefined) return 'identity'
  const names = accepted.split(',').map((name) => name.trim())
  const ranked = (['gzip', 'deflate'] as const).filter((encoding) => names.includes(encoding))
  return (level === 'low' ? ranked[0] : ranked.at(-1)) ?? 'identity'
}

/** Compresses beside the event loop. */
export function compress(encoding: Exclude<MessageEncoding, 'identity'>, message: Uint8Array): Promise<Buffer> {
  return compressors[encoding](message)
}

/**
 * Decompresses beside the event loop.
 * @throws GrpcError (as a rejection) RESOURCE_EXHAUSTED for what would take more than `maxSize` bytes, INTERNAL for
 * what is not of that encoding.
 */
export async function decompress(encoding: MessageEncoding, message: Uint8Array, maxSize: number): Promise<Uint8Array> {
  if (encoding === 'identity') throw new GrpcError('INTERNAL', 'compressed message without a grpc-encoding')
  try {
    return await decompressors[encoding](message, { maxOutputLength: maxSize })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new GrpcError(
        'RESOURCE_EXHAUSTED',
        `Received message larger than max (${maxSize} bytes) after decompression`,
      )
    }
    throw new GrpcError('INTERNAL', `failed to decompress a message of encoding '${encoding}'`, { cause: error })
  }
}
