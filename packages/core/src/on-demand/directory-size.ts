import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes of all files below a directory, links to files included; 0 for one that is not there. */
export async function directorySize(path: string): Promise<number> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => [])
  const files = entries.filter((entry) => !entry.isDirectory())
  const sizes = await Promise.all(files.map((file) => fileSize(join(file.parentPath, file.name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

const fileSize = (path: string): Promise<number> =>
  stat(path).then(
    (stats) => (stats.isFile() ? stats.size : 0),
    () => 0,
  )
