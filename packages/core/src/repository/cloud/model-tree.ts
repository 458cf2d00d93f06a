import type { Fingerprint } from '../fingerprint.ts'
import type { StoredObject } from './object-store.ts'

export interface ModelFile {
  /** Below the model's directory, with `/` between. */
  readonly path: string
  readonly object: StoredObject
}

type Directory = Map<string, Directory | StoredObject>

export interface ModelContents {
  readonly files: readonly ModelFile[]
  /** Paths of all directories below the model's, each after the one that it is in. */
  readonly directories: readonly string[]
}

/** The files and directories that the objects of one model stand for. */
export class ModelTree {
  readonly fingerprint: Fingerprint
  readonly #root: Directory = new Map()

  /**
   * Where something is both a file and a directory, the directory wins.
   * @param objects their keys passed `isPath`, and begin with the name of the model.
   */
  constructor(objects: Iterable<StoredObject>) {
    for (const object of objects) plant(this.#root, object)
    this.fingerprint = new Map(sorted(this.#root).map(([name, entry]) => [name, print(entry)]))
  }

  contents(): ModelContents {
    const files: ModelFile[] = []
    const directories: string[] = []
    walk(this.#root, '', files, directories)
    return { files, directories }
  }
}

/** Whether a key is a path below the root. One that ends with a slash is that of a directory. */
export function isPath(key: string): boolean {
  const parts = key.split('/')
  if (parts.length > 1 && parts.at(-1) === '') parts.pop()
  return parts.every(isName)
}

/** A backslash would be a separator on some systems. */
const isName = (part: string): boolean =>
  part !== '' && part !== '.' && part !== '..' && !part.includes('\0') && !part.includes('\\')

function plant(root: Directory, object: StoredObject): void {
  const [, ...way] = object.key.split('/')
  const name = way.pop()
  let directory = root
  for (const part of way) {
    const existing = directory.get(part)
    const inner = existing instanceof Map ? existing : new Map()
    directory.set(part, inner)
    directory = inner
  }
  // A key that ends with a slash is made by tools that show directories.
  if (name !== undefined && name !== '' && !directory.has(name)) directory.set(name, object)
}

function walk(directory: Directory, above: string, files: ModelFile[], directories: string[]): void {
  for (const [name, entry] of directory) {
    const path = above + name
    if (!(entry instanceof Map)) files.push({ path, object: entry })
    else {
      directories.push(path)
      walk(entry, `${path}/`, files, directories)
    }
  }
}

/** In the form that `fingerprint` has for local directories. */
function print(entry: Directory | StoredObject): string {
  if (!(entry instanceof Map)) return `:${plainTag(entry.etag)}:${entry.size}`
  return `/(${sorted(entry)
    .map(([name, inner]) => name + print(inner))
    .join(' ')})`
}

const sorted = (directory: Directory): [string, Directory | StoredObject][] =>
  [...directory].sort(([a], [b]) => (a < b ? -1 : 1))

/** Some calls of a service give a tag in quotes, others the same one without. */
export const plainTag = (etag: string): string => etag.replace(/^(W\/)?"(.*)"$/, '$2')
