import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BackendLibrary, FoundNative, MissingNative } from '@triton-ts/backend-native'

export const backendName = 'onnxruntime'
const file = `libtriton_${backendName}.so`

/** Our ONNX Runtime backend library in the native directory. */
export function onnxLibrary(native: FoundNative | MissingNative): BackendLibrary | MissingNative {
  if ('reasons' in native) return native
  const backendDirectory = join(native.directory, 'backends')
  const directory = join(backendDirectory, backendName)
  const path = join(directory, file)
  if (!existsSync(path)) return { reasons: [`there is no ${file} in '${directory}'`] }
  return { name: backendName, path, directory, backendDirectory }
}
