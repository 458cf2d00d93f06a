import { type BigIntStats, type Dirent, readdir, stat } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** What the entries of a model's directory look like, by name. */
export type Fingerprint = ReadonlyMap<string, string>

/**
 * Changes whenever a file below `directory` is added, removed, resized or touched. Triton compares the newest
 * modification time instead, which misses a file that is replaced by an older one. Links are followed, but what they
 * lead to is read once for each entry, so that links in a circle come to an end.
 */
export async function fingerprint(directory: string): Promise<Fingerprint> {
  const entries = new Map<string, string>()
  for (const entry of await list(directory)) {
    entries.set(entry.name, await look(directory, entry, { root: directory, seen: undefined }))
  }
  return entries
}

/** Whether nothing was changed between the two. */
export const isSameModel = (a: Fingerprint, b: Fingerprint): boolean => isSame(a, b, () => true)

/** Whether all that a version may read is as it was: its own directory, and what is neither a version nor configuration. */
export const isSameVersion = (a: Fingerprint, b: Fingerprint, version: number): boolean =>
  isSame(a, b, (name) => (/^\d+$/.test(name) ? Number(name) === version : !configurationEntries.includes(name)))

const configurationEntries = ['config.pbtxt', 'configs']

function isSame(a: Fingerprint, b: Fingerprint, matters: (name: string) => boolean): boolean {
  const differs = (name: string): boolean => matters(name) && a.get(name) !== b.get(name)
  for (const name of a.keys()) if (differs(name)) return false
  for (const name of b.keys()) if (differs(name)) return false
  return true
}

/** Where links of one entry led to; a set is made with the first link, since most models have none. */
interface Links {
  readonly root: string
  seen: Set<string> | undefined
}

async function look(directory: string, entry: Dirent, links: Links): Promise<string> {
  const path = join(directory, entry.name)
  if (entry.isDirectory()) return inside(path, links)
  const stats = await statOf(path)
  if (stats === undefined) return '?'
  if (!stats.isDirectory()) return `:${stats.mtimeNs}:${stats.size}`
  links.seen ??= new Set([await realpath(links.root)])
  const target = await realpath(path)
  if (links.seen.has(target)) return '/'
  links.seen.add(target)
  return inside(path, links)
}

async function inside(path: string, links: Links): Promise<string> {
  const inner: string[] = []
  for (const entry of await list(path)) inner.push(entry.name + (await look(path, entry, links)))
  return `/(${inner.join(' ')})`
}

// The forms with a callback cost half of those with promises, which counts with ten thousand models.

const list = (path: string): Promise<Dirent[]> =>
  new Promise((resolve, reject) => {
    readdir(path, { withFileTypes: true }, (error, entries) => {
      if (error === null) resolve(entries.sort((a, b) => (a.name < b.name ? -1 : 1)))
      else reject(error)
    })
  })

/** Undefined for what is not there, as at the end of a broken link. */
const statOf = (path: string): Promise<BigIntStats | undefined> =>
  new Promise((resolve) => {
    stat(path, { bigint: true }, (error, stats) => resolve(error === null ? stats : undefined))
  })
