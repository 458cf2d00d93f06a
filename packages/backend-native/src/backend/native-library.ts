import type { Backend } from '@triton-ts/core/backend'
import { Host } from '../host/host.ts'
import type { BackendLibrary } from '../library/backend-library.ts'
import { loadBinding } from '../loader/load-binding.ts'
import { NativeModel } from './native-model.ts'

/** A backend that is a library; both are opened with the first model. */
export const nativeLibrary = (library: BackendLibrary): Backend => ({
  name: library.name,
  createModel: async (context) => NativeModel.open(Host.of(loadBinding()), library, context),
})
