import { type MissingNative, missingNative, usableNative } from '@triton-ts/backend-native'
import type { Backend } from '@triton-ts/core/backend'
import { nativeBackend } from './native/native-backend.ts'
import { onnxLibrary } from './native/onnx-library.ts'
import { runtimeFile } from './native/runtime-file.ts'
import { workerBackend } from './worker/worker-backend.ts'

/** What runs the models of a backend value. */
export interface Executor extends Pick<Backend, 'createModel'> {
  readonly kind: 'native' | 'worker'
  /** Why models do not run natively; empty when they do. */
  readonly reasons: readonly string[]
}

/**
 * @param wanted `auto`: native where that is possible.
 * @param cpus of all instances of a model.
 * @param inline whether short native runs may be in the calling thread.
 */
export function chooseExecutor(
  wanted: 'auto' | 'native' | 'worker',
  cpus: () => Promise<number>,
  inline: boolean,
): Executor {
  if (wanted === 'worker') return { kind: 'worker', reasons: ['the option executor says so'], ...workerBackend(cpus) }
  const native = nativeExecutor(cpus, inline)
  if (!('reasons' in native)) return { kind: 'native', reasons: [], ...native }
  if (wanted === 'auto') return { kind: 'worker', reasons: native.reasons, ...workerBackend(cpus) }
  return { kind: 'native', reasons: native.reasons, createModel: () => Promise.reject(missingNative(native)) }
}

function nativeExecutor(cpus: () => Promise<number>, inline: boolean): Pick<Backend, 'createModel'> | MissingNative {
  const library = onnxLibrary(usableNative())
  if ('reasons' in library) return library
  const runtime = runtimeFile()
  return 'reasons' in runtime ? runtime : nativeBackend({ ...library, inline }, runtime, cpus)
}
