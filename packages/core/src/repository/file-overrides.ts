import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, normalize, sep } from 'node:path'
import { TritonError } from '../errors.ts'
import type { ModelDirectory } from './repository-source.ts'

/**
 * Writes the files of a load request, by path in the model directory, into a temporary directory.
 * @throws TritonError INVALID_ARG for a path that leaves the directory.
 */
export async function writeFileOverrides(files: Readonly<Record<string, Uint8Array>>): Promise<ModelDirectory> {
  const paths = Object.keys(files).map((path) => [path, confined(path)] as const)
  const directory = await mkdtemp(join(tmpdir(), 'triton-ts-model-'))
  const dispose = (): Promise<void> => rm(directory, { recursive: true, force: true })
  try {
    for (const [path, relative] of paths) {
      const target = join(directory, relative)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, files[path] as Uint8Array)
    }
  } catch (cause) {
    await dispose()
    throw new TritonError('INTERNAL', 'failed to write the files of the load request', { cause })
  }
  return { directory, dispose }
}

/** As in Triton, a path that begins with a slash is one in the directory, too. */
function confined(path: string): string {
  const normalized = normalize(path.replace(/^\/+/, ''))
  if (path !== '' && !path.includes('\0') && normalized !== '.' && normalized.split(sep)[0] !== '..') return normalized
  throw new TritonError(
    'INVALID_ARG',
    `Invalid file parameter 'file:${path}' with normalized path '${normalized}' must stay within model directory.`,
  )
}
