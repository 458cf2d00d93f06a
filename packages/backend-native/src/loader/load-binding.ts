import { createRequire } from 'node:module'
import { join } from 'node:path'
import { TritonError } from '@triton-ts/core'
import type { Binding } from '../host/binding.ts'
import {
  directoryVariable,
  type FoundNative,
  hostFile,
  type MissingNative,
  nativeDirectory,
} from './native-directory.ts'

const require = createRequire(import.meta.url)

/**
 * The backend host of this process. Node keeps it, so that every call gets the same one.
 * @throws TritonError UNAVAILABLE with all reasons and what can be done.
 */
export function loadBinding(found: ReturnType<typeof nativeDirectory> = nativeDirectory()): Binding {
  const loaded = tryLoad(found)
  if ('reasons' in loaded) throw missingNative(loaded, loaded.cause)
  return loaded.binding
}

/** The same, or undefined where it is not available. */
export function usableBinding(): Binding | undefined {
  const loaded = tryLoad(nativeDirectory())
  return 'reasons' in loaded ? undefined : loaded.binding
}

/** Like `nativeDirectory`, but a directory whose backend host does not load counts as missing. Loads it. */
export function usableNative(): FoundNative | MissingNative {
  const found = nativeDirectory()
  const loaded = tryLoad(found)
  return 'reasons' in loaded ? { reasons: loaded.reasons } : found
}

/** The error of whoever needs native parts that are not there: UNAVAILABLE with all reasons and what can be done. */
export function missingNative({ reasons }: MissingNative, cause?: unknown): TritonError {
  const lines = [
    'the native backend host of triton-ts is not available:',
    ...reasons.map((reason) => `- ${reason}`),
    'Possible solutions:',
    '- install the optional dependencies of @triton-ts/backend-native (prebuilt for linux-x64 and linux-arm64 with glibc)',
    '- build it: clone the repository of triton-ts and run `npm test` where cmake and a C++ compiler are',
    `- set ${directoryVariable} to a directory that holds ${hostFile}`,
  ]
  return new TritonError('UNAVAILABLE', lines.join('\n'), { cause })
}

type Loaded = { readonly binding: Binding } | (MissingNative & { readonly cause?: unknown })

function tryLoad(found: FoundNative | MissingNative): Loaded {
  if ('reasons' in found) return found
  const file = join(found.directory, hostFile)
  try {
    return { binding: require(file) as Binding }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    return { reasons: [`'${file}' does not load: ${why}`], cause }
  }
}
