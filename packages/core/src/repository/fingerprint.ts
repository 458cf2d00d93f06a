import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Changes whenever a file below `directory` is added, removed, resized or touched. Triton compares the newest
 * modification time instead, which misses a file that is replaced by an older one.
 */
export async function fingerprint(directory: string): Promise<string> {
  const names = (await readdir(directory)).sort()
  const parts = await Promise.all(
    names.map(async (name) => {
      const path = join(directory, name)
      const stats = await stat(path, { bigint: true }).catch(() => undefined)
      if (stats === undefined) return `${name}?`
      return stats.isDirectory() ? `${name}/(${await fingerprint(path)})` : `${name}:${stats.mtimeNs}:${stats.size}`
    }),
  )
  return parts.join(' ')
}
