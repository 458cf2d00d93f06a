export { nativeLibrary } from './backend/native-library.ts'
export type { BackendLibrary } from './library/backend-library.ts'
export { type FoundNative, type MissingNative, nativeDirectory } from './loader/native-directory.ts'
export { type NativeOptions, native } from './native.ts'
