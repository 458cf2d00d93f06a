import { createRequire } from 'node:module'
import * as core from '@triton-ts/core'
import { type ModelClass, type ModelCode, TritonError } from '@triton-ts/core'
import { modelError } from '@triton-ts/core/backend'
import { createJiti } from 'jiti'

/** Where the code of a model is. */
export interface CodePlace {
  readonly model: string
  /** Absolute path of the model's directory. */
  readonly directory: string
  readonly file: string
}

/**
 * The default export of a model's file, TypeScript or JavaScript. Each call evaluates the file and what it imports of the
 * model's directory anew. `@triton-ts/core` is the one of this backend, so that a repository needs no packages.
 * @throws TritonError that tells file and line where the code fails.
 */
export async function importCode({ model, directory, file }: CodePlace): Promise<ModelCode | ModelClass> {
  const jiti = createJiti(file, {
    // Written code would lie where other users may write.
    fsCache: false,
    sourceMaps: true,
    virtualModules: { '@triton-ts/core': core },
  })
  let code: unknown
  try {
    code = await jiti.import(file, { default: true })
  } catch (error) {
    throw modelError(error, model, directory)
  } finally {
    forget(directory)
  }
  if (
    typeof code === 'function' ||
    (typeof code === 'object' && code !== null && ('execute' in code || 'infer' in code))
  ) {
    return code as ModelCode | ModelClass
  }
  const text = `'${file}' has no default export with a model: export default defineModel({...}), or a class`
  throw new TritonError('INVALID_ARG', `model '${model}': ${text}`)
}

/** Modules that were evaluated stay with the model; the next load finds none of them. */
function forget(directory: string): void {
  const { cache } = createRequire(import.meta.url)
  for (const path of Object.keys(cache)) {
    if (path.startsWith(directory) && !path.includes('node_modules')) delete cache[path]
  }
}
