import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'

/** POSIX shared memory of this process, on Linux, as a client would make it. */
export interface SharedMemoryFile extends AsyncDisposable {
  /** What the memory is registered by. */
  readonly key: string
  /** The file that it is. */
  readonly path: string
  /** What it holds now. */
  bytes(): Promise<Buffer>
  /** Replaces it all. */
  write(bytes: Uint8Array): Promise<void>
}

/** Shared memory that goes when it is disposed: `await using memory = await sharedMemoryFile(bytes)`. */
export async function sharedMemoryFile(bytes: Uint8Array): Promise<SharedMemoryFile> {
  const key = `/triton-ts-${randomUUID()}`
  const path = `/dev/shm${key}`
  await writeFile(path, bytes, { mode: 0o600 })
  return {
    key,
    path,
    bytes: () => readFile(path),
    write: (content) => writeFile(path, content),
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  }
}
