import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { getSystemErrorMap } from 'node:util'
import { TritonError } from '../errors.ts'
import { pathInside } from '../repository/path-inside.ts'
import type { RepositoryAgent } from './repository-agent.ts'

const algorithms = ['md5', 'sha256']

/**
 * Triton's `checksum` agent: a model loads only when its files have the digests that its configuration says. Each
 * parameter is one file, with the key `MD5:<path in the model's directory>` and the digest in lower-case hexadecimal
 * as value. `SHA256:<path>` goes beyond Triton.
 */
export function checksum(): RepositoryAgent {
  return {
    name: 'checksum',
    async modelAction(action, { location, parameters }, signal) {
      if (action !== 'LOAD') return
      for (const [key, expected] of Object.entries(parameters)) await verify(location, key, expected, signal)
    },
  }
}

async function verify(directory: string, key: string, expected: string, signal: AbortSignal): Promise<void> {
  const at = key.indexOf(':')
  if (at < 0) throw new TritonError('INVALID_ARG', `failed to parse key: ${key}`)
  const algorithm = key.slice(0, at).toLowerCase()
  const file = key.slice(at + 1)
  if (!algorithms.includes(algorithm)) {
    throw new TritonError('UNSUPPORTED', `Unsupported checksum algorithm: ${key.slice(0, at)}`)
  }
  const path = await pathInside(directory, file)
  if (path === undefined) throw unreadable(file, 'it is outside of the model directory')
  const digest = await hash(path, algorithm, signal).catch((cause: NodeJS.ErrnoException) => {
    throw unreadable(file, systemText(cause), cause)
  })
  if (digest === expected) return
  const name = algorithm.toUpperCase()
  throw new TritonError('INVALID_ARG', `Mismatched ${name} hash for file ${file}, expect: ${expected}, got: ${digest}`)
}

/** In pieces, so that requests go on between them however large the file is. */
async function hash(path: string, algorithm: string, signal: AbortSignal): Promise<string> {
  const digest = createHash(algorithm)
  for await (const piece of createReadStream(path, { signal })) digest.update(piece)
  return digest.digest('hex')
}

const unreadable = (file: string, why: string, cause?: unknown): TritonError =>
  new TritonError('INVALID_ARG', `failed to open text file for read ${file}: ${why}`, { cause })

/** As the system's C library says it. */
function systemText({ errno = 0, message }: NodeJS.ErrnoException): string {
  const text = getSystemErrorMap().get(errno)?.[1]
  return text === undefined ? message : text.charAt(0).toUpperCase() + text.slice(1)
}
