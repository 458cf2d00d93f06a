import { usableBinding } from './load-binding.ts'

/** Files as memory, which copies between processes need no calls of the system for. */
export interface FileMapping {
  /** The first bytes of a file. Bytes behind its end must not be touched. */
  map(descriptor: number, size: number): ArrayBuffer
  /** Lets go of it; it is empty then. */
  unmap(mapped: ArrayBuffer): void
}

/** Undefined where the native parts are not available. */
export function fileMapping(): FileMapping | undefined {
  const binding = usableBinding()
  return binding && { map: binding.mapFile, unmap: binding.unmapFile }
}
