import type { BigIntStats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Changes whenever a file below `directory` is added, removed, resized or touched. Triton compares the newest
 * modification time instead, which misses a file that is replaced by an older one. Links are followed, but every
 * directory is read once, so that links in a circle come to an end.
 */
export async function fingerprint(directory: string): Promise<string> {
  const seen = new Set([inode(await stat(directory, { bigint: true }))])
  return contents(directory, seen)
}

async function contents(directory: string, seen: Set<string>): Promise<string> {
  const parts: string[] = []
  for (const name of (await readdir(directory)).sort()) {
    const path = join(directory, name)
    const stats = await stat(path, { bigint: true }).catch(() => undefined)
    if (stats === undefined) parts.push(`${name}?`)
    else if (!stats.isDirectory()) parts.push(`${name}:${stats.mtimeNs}:${stats.size}`)
    else if (seen.has(inode(stats))) parts.push(`${name}/`)
    else {
      seen.add(inode(stats))
      parts.push(`${name}/(${await contents(path, seen)})`)
    }
  }
  return parts.join(' ')
}

const inode = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`
