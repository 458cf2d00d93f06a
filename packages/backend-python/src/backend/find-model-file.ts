import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { builtInBackends } from '../python-files.ts'

/** The `model.py` of a backend that is written in Python: in the backend directory, or among those that come with this package. */
export async function findModelFile(name: string, directory: string): Promise<string | undefined> {
  if (!/^[\w.-]+$/.test(name)) return undefined
  for (const place of [directory, builtInBackends]) {
    const file = join(place, name, 'model.py')
    const isThere = await access(file).then(
      () => true,
      () => false,
    )
    if (isThere) return file
  }
  return undefined
}
