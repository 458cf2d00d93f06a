import { createRequire } from 'node:module'
import { join } from 'node:path'
import { TritonError } from '@triton-ts/core'
import type { Binding } from '../host/binding.ts'
import { directoryVariable, hostFile, type MissingNative, nativeDirectory } from './native-directory.ts'

const require = createRequire(import.meta.url)

/**
 * The backend host of this process. Node keeps it, so that every call gets the same one.
 * @throws TritonError UNAVAILABLE with all reasons and what can be done.
 */
export function loadBinding(found: ReturnType<typeof nativeDirectory> = nativeDirectory()): Binding {
  if ('reasons' in found) throw notAvailable(found)
  const file = join(found.directory, hostFile)
  try {
    return require(file) as Binding
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw notAvailable({ reasons: [`'${file}' does not load: ${why}`] }, error)
  }
}

function notAvailable({ reasons }: MissingNative, cause?: unknown): TritonError {
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
