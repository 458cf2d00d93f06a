import { resolve } from 'node:path'
import type { BackendFinder } from '@triton-ts/core/backend'
import { nativeLibrary } from './backend/native-library.ts'
import { findLibrary } from './library/find-library.ts'

export interface NativeOptions {
  /** Triton's `--backend-directory`: it holds `<name>/libtriton_<name>.so`. Default `/opt/tritonserver/backends`. */
  readonly directory?: string | undefined
}

/**
 * Any backend that is a Triton backend library `libtriton_<name>.so`, unmodified and in this process. It is looked for
 * where Triton looks: beside the model, then in the backend directory.
 *
 * ```ts
 * await using server = await Server.start({ modelRepository: './models', backends: [native()] })
 * ```
 */
export function native({ directory = '/opt/tritonserver/backends' }: NativeOptions = {}): BackendFinder {
  const backendDirectory = resolve(directory)
  return {
    find: async (name, model) => {
      const library = await findLibrary(name, model, backendDirectory)
      return library && nativeLibrary(library)
    },
  }
}
