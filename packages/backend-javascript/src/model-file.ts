import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { TritonError } from '@triton-ts/core'
import type { ModelContext } from '@triton-ts/core/backend'

/** In the order in which they are looked for. */
const names = ['model.ts', 'model.mts', 'model.mjs', 'model.js', 'model.cjs']

/**
 * The file of a version's code: `default_model_filename`, else the first of the usual names.
 * @throws TritonError NOT_FOUND without one.
 */
export async function modelFile({ name, versionDirectory, config }: ModelContext): Promise<string> {
  const wanted = config.defaultModelFilename === '' ? names : [config.defaultModelFilename]
  const present = await readdir(versionDirectory).catch((cause) => {
    throw new TritonError('NOT_FOUND', `model '${name}': '${versionDirectory}' cannot be read`, { cause })
  })
  const found = wanted.find((file) => present.includes(file))
  if (found !== undefined) return join(versionDirectory, found)
  throw new TritonError('NOT_FOUND', `model '${name}' has no file ${wanted.join(' or ')} in '${versionDirectory}'`)
}
