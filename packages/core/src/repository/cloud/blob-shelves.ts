import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../../util/logger.ts'

interface Unused {
  readonly path: string
  readonly size: number
  /** When a model last took it. */
  readonly usedAt: number
}

/** All blobs of a cache directory, of all processes: `<cache>/blobs/<2 hex>/<id>`. */
export class BlobShelves {
  readonly #directory: string
  readonly #logger: Logger

  constructor(cache: string, logger: Logger) {
    this.#directory = join(cache, 'blobs')
    this.#logger = logger
  }

  /** Removes blobs that no model links, the least recently used first, until all have at most `maxBytes`. */
  async trim(maxBytes: number): Promise<void> {
    const { total, unused } = await this.#look()
    await this.#remove(unused, total - maxBytes)
  }

  /** Removes blobs that no model links, the least recently used first, until that many bytes are free. Resolves with how many are. */
  async free(bytes: number): Promise<number> {
    return this.#remove((await this.#look()).unused, bytes)
  }

  /** A file that is a model's, too, has two names. What has none but this would free nothing if it were used. */
  async #look(): Promise<{ total: number; unused: Unused[] }> {
    const unused: Unused[] = []
    let total = 0
    for (const shelf of await readdir(this.#directory, { withFileTypes: true })) {
      if (!shelf.isDirectory()) continue
      for (const name of await readdir(join(this.#directory, shelf.name))) {
        if (name.endsWith('.sha256')) continue
        const path = join(this.#directory, shelf.name, name)
        const file = await stat(path).catch(() => undefined)
        if (file === undefined) continue
        total += file.size
        const sum = await stat(`${path}.sha256`).catch(() => undefined)
        if (file.nlink === 1) unused.push({ path, size: file.size, usedAt: sum?.mtimeMs ?? 0 })
      }
    }
    return { total, unused: unused.sort((a, b) => a.usedAt - b.usedAt) }
  }

  async #remove(unused: readonly Unused[], bytes: number): Promise<number> {
    let freed = 0
    for (const { path, size } of unused) {
      if (freed >= bytes) break
      await rm(path, { force: true })
      await rm(`${path}.sha256`, { force: true })
      freed += size
      this.#logger.info({ path, size }, 'removed from the cache what no model uses')
    }
    return freed
  }
}
