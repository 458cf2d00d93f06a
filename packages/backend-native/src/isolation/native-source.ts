import { basename } from 'node:path'
import type { BackendLibrary } from '../library/backend-library.ts'
import { isolationEntry } from './isolation-entry.ts'
import type { BackendSource } from './messages/model-spec.ts'

/** Where another process gets the backend of a library: from this package. */
export const nativeSource = (library: BackendLibrary): BackendSource => ({
  module: new URL('./index.js', isolationEntry).href,
  name: 'nativeLibrary',
  options: library,
  label: basename(library.path),
})
