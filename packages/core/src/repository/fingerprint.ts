import type { BigIntStats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** What the entries of a model's directory look like, by name. */
export type Fingerprint = ReadonlyMap<string, string>

/**
 * Changes whenever a file below `directory` is added, removed, resized or touched. Triton compares the newest
 * modification time instead, which misses a file that is replaced by an older one. Links are followed, but every
 * directory is read once for each entry, so that links in a circle come to an end.
 */
export async function fingerprint(directory: string): Promise<Fingerprint> {
  const root = inode(await stat(directory, { bigint: true }))
  const entries = new Map<string, string>()
  for (const name of await readdir(directory)) entries.set(name, await look(join(directory, name), new Set([root])))
  return entries
}

/** Whether nothing was changed between the two. */
export const isSameModel = (a: Fingerprint, b: Fingerprint): boolean => isSame(a, b, () => true)

/** Whether all that a version may read is as it was: its own directory, and what is neither a version nor configuration. */
export const isSameVersion = (a: Fingerprint, b: Fingerprint, version: number): boolean =>
  isSame(a, b, (name) => (/^\d+$/.test(name) ? Number(name) === version : !configurationEntries.includes(name)))

const configurationEntries = ['config.pbtxt', 'configs']

function isSame(a: Fingerprint, b: Fingerprint, matters: (name: string) => boolean): boolean {
  return [...new Set([...a.keys(), ...b.keys()])].every((name) => !matters(name) || a.get(name) === b.get(name))
}

async function look(path: string, seen: Set<string>): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined)
  if (stats === undefined) return '?'
  if (!stats.isDirectory()) return `:${stats.mtimeNs}:${stats.size}`
  if (seen.has(inode(stats))) return '/'
  seen.add(inode(stats))
  const inner: string[] = []
  for (const name of (await readdir(path)).sort()) inner.push(name + (await look(join(path, name), seen)))
  return `/(${inner.join(' ')})`
}

const inode = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`
