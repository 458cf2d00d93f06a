import type { MaybePromise } from '../cache/response-cache.ts'

/** Memory of another process that inputs are read from and outputs are written to. Callers stay within its bounds. */
export interface Region {
  /** Fills `into`. @throws TritonError when the memory is no longer there. */
  read(offset: number, into: Uint8Array): MaybePromise<void>
  /** @throws TritonError when the memory is no longer there. */
  write(offset: number, bytes: Uint8Array): MaybePromise<void>
  /** Called once, when no read or write runs. */
  dispose(): void
}
