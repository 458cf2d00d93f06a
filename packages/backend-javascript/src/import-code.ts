import { readFile, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname, sep } from 'node:path'
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
 * model's directory anew, but for helpers that Node runs as they are (`.mjs`, `.cjs`): those it evaluates once in a
 * thread. `@triton-ts/core` is the one of this backend, so that a repository needs no packages.
 * @throws TritonError that tells file and line where the code fails.
 */
export async function importCode({ model, directory, file }: CodePlace): Promise<ModelCode | ModelClass> {
  const jiti = createJiti(file, {
    // Written code would lie where other users may write.
    fsCache: false,
    // The modules of one load know each other, and no other load finds them.
    moduleCache: false,
    sourceMaps: true,
    virtualModules: { '@triton-ts/core': core },
  })
  let code: unknown
  try {
    await forgetData(directory)
    const source = await readFile(file, 'utf8')
    code = defaultOf(
      await jiti.evalModule(source, {
        id: file,
        filename: file,
        ext: extname(file),
        async: true,
        forceTranspile: true,
      }),
    )
  } catch (error) {
    throw modelError(error, model, directory)
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

const defaultOf = (exports: unknown): unknown =>
  typeof exports === 'object' && exports !== null && 'default' in exports ? (exports.default ?? exports) : exports

/** JSON files of the model, which Node keeps, are read anew. */
async function forgetData(directory: string): Promise<void> {
  const { cache } = createRequire(import.meta.url)
  const inside = (await realpath(directory)) + sep
  for (const path of Object.keys(cache)) {
    if (path.startsWith(inside) && !path.includes('node_modules')) delete cache[path]
  }
}
