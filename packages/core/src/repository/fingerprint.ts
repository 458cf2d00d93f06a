import { type BigIntStats, type Dirent, readdir, stat } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** What the entries of a model's directory look like, by name. */
export type Fingerprint = ReadonlyMap<string, string>

/**
 * Changes whenever a file below `directory` is added, removed, resized or touched. Triton compares the newest
 * modification time instead, which misses a file that is replaced by an older one. Links are followed, but what they
 * lead to is read once for each entry, so that links in a circle come to an end. What cannot be read below `directory` is
 * part of it too, by the reason.
 *
 * Entries whose names begin with two dots are left out: a volume of Kubernetes keeps its files there, and what a model
 * uses of them are links beside them. So is `__pycache__`, which Python writes when it loads a model.
 * @throws the error of the system when `directory` itself cannot be read.
 */
export async function fingerprint(directory: string): Promise<Fingerprint> {
  const entries = new Map<string, string>()
  for (const entry of await list(directory)) {
    if (isVolumeEntry(entry.name)) continue
    entries.set(entry.name, await look(directory, entry, { root: directory, seen: undefined }))
  }
  return entries
}

/** `..data` and `..2026_01_31_23_59_59.1`, which a volume of Kubernetes has beside the links that lead there. */
export const isVolumeEntry = (name: string): boolean => name.startsWith('..')

/** Whether nothing was changed between the two. */
export function isSameModel(a: Fingerprint, b: Fingerprint): boolean {
  if (a.size !== b.size) return false
  for (const [name, entry] of a) if (b.get(name) !== entry) return false
  return true
}

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
  try {
    const stats = await statOf(path)
    if (!stats.isDirectory()) return `:${stats.mtimeNs}:${stats.size}`
    links.seen ??= new Set([await realpath(links.root)])
    const target = await realpath(path)
    if (links.seen.has(target)) return '/'
    links.seen.add(target)
  } catch (error) {
    return unreadable(error)
  }
  return inside(path, links)
}

async function inside(path: string, links: Links): Promise<string> {
  const inner: string[] = []
  try {
    for (const entry of await list(path)) inner.push(entry.name + (await look(path, entry, links)))
  } catch (error) {
    return unreadable(error)
  }
  return `/(${inner.join(' ')})`
}

/** What stands for an entry that cannot be read, such as the end of a broken link. */
const unreadable = (error: unknown): string => `?${(error as NodeJS.ErrnoException).code}`

// The forms with a callback cost half of those with promises, which counts with ten thousand models.

const list = (path: string): Promise<Dirent[]> =>
  new Promise((resolve, reject) => {
    readdir(path, { withFileTypes: true }, (error, entries) => {
      const matters = ({ name }: Dirent): boolean => name !== '__pycache__'
      if (error === null) resolve(entries.filter(matters).sort((a, b) => (a.name < b.name ? -1 : 1)))
      else reject(error)
    })
  })

const statOf = (path: string): Promise<BigIntStats> =>
  new Promise((resolve, reject) => {
    stat(path, { bigint: true }, (error, stats) => (error === null ? resolve(stats) : reject(error)))
  })
