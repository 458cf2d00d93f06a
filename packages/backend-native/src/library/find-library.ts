import { access, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { TritonError } from '@triton-ts/core'
import type { SoughtModel } from '@triton-ts/core/backend'
import type { BackendLibrary } from './backend-library.ts'

/** What names a Python-based backend instead of a library. */
const pythonModule = 'model.py'

/**
 * Finds the library of a backend as Triton does: in the version's directory, the model's, then `<backendDirectory>/<name>`.
 * The file is the model's `runtime`, else `libtriton_<name>.so`.
 * @returns undefined when there is none; also for a backend written in Python, which has no library.
 * @throws TritonError INVALID_ARG, with Triton's texts, when the `runtime` of the model is not there or is outside.
 */
export async function findLibrary(
  name: string,
  { directory, versionDirectory, config }: SoughtModel,
  backendDirectory: string,
): Promise<BackendLibrary | undefined> {
  // A name is no path: it must not lead out of the backend directory.
  if (!/^[^/\\\0]+$/.test(name) || name === '.' || name === '..') return undefined
  const places = searchPaths({ directory, versionDirectory }, backendDirectory, name)
  const { runtime } = config
  if (runtime === pythonModule) return undefined
  const file = runtime === '' ? libraryFile(name) : runtime
  const place = await firstWith(places, file)
  if (place !== undefined) {
    const path = join(place, file)
    if (runtime !== '') await expectInside(path, place, file, config.name)
    return { name, path, directory: place, backendDirectory }
  }
  if (runtime === '') return undefined
  const searched = places.map((path) => `'${path}' `).join('')
  const text = `unable to find backend library '${file}' for model '${config.name}', searched: ${searched}`
  throw new TritonError('INVALID_ARG', text)
}

/** Where a backend's files are looked for, in this order. */
export const searchPaths = (
  { directory, versionDirectory }: Pick<SoughtModel, 'directory' | 'versionDirectory'>,
  backendDirectory: string,
  name: string,
): string[] => [versionDirectory, directory, join(backendDirectory, name)]

export const libraryFile = (name: string): string => `libtriton_${name}.so`

/** The first of the directories that has the file. */
export async function firstWith(directories: readonly string[], file: string): Promise<string | undefined> {
  for (const directory of directories) if (await exists(join(directory, file))) return directory
  return undefined
}

export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Whether a path that exists is below a directory, links followed. */
export async function isInside(path: string, directory: string): Promise<boolean> {
  return (await realpath(path)).startsWith((await realpath(directory)) + sep)
}

async function expectInside(path: string, directory: string, file: string, model: string): Promise<void> {
  if (await isInside(path, directory)) return
  const text = `backend library name '${file}' escapes backend directory '${directory}', for model '${model}', check model config runtime field`
  throw new TritonError('INVALID_ARG', text)
}
