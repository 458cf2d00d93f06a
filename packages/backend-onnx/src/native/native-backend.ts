import { type BackendLibrary, nativeLibrary } from '@triton-ts/backend-native'
import type { Backend } from '@triton-ts/core/backend'
import type { RuntimeFile } from './runtime-file.ts'

/**
 * The backend library, told where ONNX Runtime is and how many CPUs it has. Settings of the Server
 * (`--backend-config=onnxruntime,...`) come before these.
 * @param cpus of all instances of a model.
 */
export function nativeBackend(
  library: BackendLibrary,
  { path }: RuntimeFile,
  cpus: () => Promise<number>,
): Pick<Backend, 'createModel'> {
  const { createModel } = nativeLibrary(library)
  return {
    createModel: async (model) => {
      const settings = {
        ...(path !== undefined && { 'onnxruntime-library': path }),
        cpus: String(Math.max(1, Math.floor(await cpus()))),
      }
      return createModel({ ...model, backendConfig: { ...settings, ...model.backendConfig } })
    },
  }
}
