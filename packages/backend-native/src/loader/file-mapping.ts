import { loadBinding } from './load-binding.ts'
import { nativeDirectory } from './native-directory.ts'

/** Files as memory, which copies between processes need no calls of the system for. */
export interface FileMapping {
  /** The first bytes of a file. Bytes behind its end must not be touched. */
  map(descriptor: number, size: number): ArrayBuffer
  /** Lets go of it; it is empty then. */
  unmap(mapped: ArrayBuffer): void
}

/** Undefined where the native parts are not available. */
export function fileMapping(): FileMapping | undefined {
  const found = nativeDirectory()
  if ('reasons' in found) return undefined
  try {
    const { mapFile, unmapFile } = loadBinding(found)
    return { map: mapFile, unmap: unmapFile }
  } catch {
    return undefined
  }
}
