import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import type { BlobFile } from './blob-file.ts'
import type { Turns } from './turns.ts'

/** So that a repository that changes for months does not fill the memory. */
const mostRemembered = 10_000

/**
 * Tells whether blobs are as they were downloaded. A file is read once in the life of a process, and again when its size,
 * time or place on the disk has changed: a large model is loaded anew without reading it all.
 */
export class BlobCheck {
  /** Which state of a blob was right, by its path. */
  readonly #right = new Map<string, string>()
  readonly #turns: Turns

  constructor(turns: Turns) {
    this.#turns = turns
  }

  /** @param path a second name of the blob, which nobody else takes away. */
  async isRight(blob: BlobFile, path: string, size: number, signal: AbortSignal): Promise<boolean> {
    const stats = await stat(path, { bigint: true })
    if (stats.size !== BigInt(size)) return false
    if (this.#right.get(blob.path) === stateOf(stats)) return true
    const sum = (await readFile(blob.sumPath, 'utf8').catch(() => '')).slice(0, 64)
    if ((await sha256OfFile(path, this.#turns, signal)) !== sum) return false
    this.#remember(blob, stats)
    return true
  }

  /** The file has just been written from the content of this blob. */
  async written(blob: BlobFile, path: string): Promise<void> {
    this.#remember(blob, await stat(path, { bigint: true }))
  }

  #remember(blob: BlobFile, stats: BigIntStats): void {
    if (this.#right.size >= mostRemembered) this.#right.clear()
    this.#right.set(blob.path, stateOf(stats))
  }
}

/** Changes when somebody writes to a file or puts another one in its place. */
const stateOf = ({ ino, mtimeNs, size }: BigIntStats): string => `${ino}:${mtimeNs}:${size}`

/** What is hashed in one turn of the event loop. */
const chunkSize = 64 * 1024

/** SHA-256 of a file in hex. */
async function sha256OfFile(path: string, turns: Turns, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(chunkSize)
  const file = await open(path)
  try {
    for (;;) {
      signal.throwIfAborted()
      const { bytesRead } = await file.read(chunk, 0, chunkSize)
      if (bytesRead === 0) return hash.digest('hex')
      await turns.next()
      hash.update(chunk.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}
