import { join, resolve } from 'node:path'
import { TritonError } from '@triton-ts/core'
import type { ModelContext } from '@triton-ts/core/backend'
import type { BackendLibrary } from './backend-library.ts'
import { exists, firstWith, isInside, searchPaths } from './find-library.ts'

const parameter = 'TRITON_BATCH_STRATEGY_PATH'
const defaultFile = 'batchstrategy.so'

/**
 * The custom batching library of a model: the one that its configuration names, else `batchstrategy.so` where the
 * backend's library is looked for. A sequence model has none.
 * @throws TritonError with Triton's texts.
 */
export async function batchStrategy(
  { config, directory, versionDirectory }: Pick<ModelContext, 'config' | 'directory' | 'versionDirectory'>,
  { name, backendDirectory }: BackendLibrary,
): Promise<string | undefined> {
  const named = config.parameters[parameter]?.stringValue
  if (config.sequenceBatching !== undefined) {
    if (named === undefined) return undefined
    const text = `${parameter} cannot be specified with sequence batcher, using default batching strategy`
    throw new TritonError('INVALID_ARG', text)
  }
  if (named !== undefined) return namedStrategy(resolve(named), directory, named)
  const place = await firstWith(searchPaths({ directory, versionDirectory }, backendDirectory, name), defaultFile)
  return place && join(place, defaultFile)
}

async function namedStrategy(path: string, directory: string, named: string): Promise<string> {
  if (!path.startsWith(directory)) throw escapes()
  if (!(await exists(path))) throw new TritonError('NOT_FOUND', `Batching library path not found: ${named}`)
  if (!(await isInside(path, directory))) throw escapes()
  return path
}

const escapes = (): TritonError => new TritonError('INVALID_ARG', 'Batching library path escapes model repository.')
