import { resolve } from 'node:path'
import type { BackendFinder } from '@triton-ts/core/backend'
import { nativeLibrary } from './backend/native-library.ts'
import { withIsolation } from './isolation/isolated-backend.ts'
import type { IsolationOption } from './isolation/isolation.ts'
import { nativeSource } from './isolation/native-source.ts'
import { findLibrary } from './library/find-library.ts'

export interface NativeOptions {
  /** Triton's `--backend-directory`: it holds `<name>/libtriton_<name>.so`. Default `/opt/tritonserver/backends`. */
  readonly directory?: string | undefined
  /**
   * Which models run in a process of their own, where a crash of the library harms nobody else: `process` for all, or by
   * the name of the model. The parameter `ISOLATION` of a model comes before it, the backend setting `isolation` after
   * it. Default `none`.
   */
  readonly isolation?: IsolationOption | undefined
  /**
   * Whether verbose messages of libraries reach the Server's logger, as `debug`, which lets them through when its verbose
   * level is 1 or more: Triton's `--log-verbose`. They come with every request. A library asks only whether anybody in the process wants them. Default false.
   */
  readonly verbose?: boolean | undefined
}

/**
 * Any backend that is a Triton backend library `libtriton_<name>.so`, unmodified and in this process unless told
 * otherwise. It is looked for where Triton looks: beside the model, then in the backend directory.
 *
 * ```ts
 * await using server = await Server.start({ modelRepository: './models', backends: [native()] })
 * ```
 */
export function native({
  directory = '/opt/tritonserver/backends',
  isolation,
  verbose = false,
}: NativeOptions = {}): BackendFinder {
  const backendDirectory = resolve(directory)
  return {
    find: async (name, model) => {
      const found = await findLibrary(name, model, backendDirectory)
      if (found === undefined) return undefined
      const library = { ...found, verbose }
      return withIsolation(nativeLibrary(library), nativeSource(library), isolation)
    },
  }
}
