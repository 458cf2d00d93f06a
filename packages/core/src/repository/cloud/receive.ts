import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { abortable } from '../../util/abortable.ts'
import { type ObjectStore, type StoredObject, StoreError } from './object-store.ts'
import type { Attempt } from './retries.ts'
import type { Turns } from './turns.ts'

/** A file that is written from its start; a `FileHandle` is one. */
export interface TargetFile {
  writeFile(content: Uint8Array): Promise<void>
  close(): Promise<void>
}

export interface ReceiveOptions {
  /** Opens the file that is written, empty. It is closed in any case. */
  readonly open: () => Promise<TargetFile>
  /** Hears how many bytes of the object there are; a new try begins with 0 again. */
  readonly onSize: (size: number) => void
  /** For the hashing. */
  readonly turns: Turns
}

/**
 * Downloads an object once and resolves with its SHA-256 in hex, when size and MD5 are right.
 * @throws StoreError `busy` for what another try may cure, `missing` when the object has changed; errors of the file as they are.
 */
export async function receive(
  store: ObjectStore,
  object: StoredObject,
  { signal, alive }: Attempt,
  { open, onSize, turns }: ReceiveOptions,
): Promise<string> {
  const sha256 = createHash('sha256')
  const md5 = object.md5 === undefined ? undefined : createHash('md5')
  let size = 0
  onSize(size)
  const file = await open()
  try {
    const stream = await abortable(store.read(object, signal), signal, discard)
    for await (const chunk of chunks(stream, signal)) {
      alive()
      size += chunk.length
      if (size > object.size) throw new StoreError('missing', `it has more than the ${object.size} bytes listed`)
      await turns.next()
      sha256.update(chunk)
      md5?.update(chunk)
      await file.writeFile(chunk)
      onSize(size)
    }
  } finally {
    await file.close()
  }
  if (size < object.size) throw new StoreError('busy', `it ended after ${size} of ${object.size} bytes`)
  if (md5 !== undefined && md5.digest('hex') !== object.md5?.toLowerCase())
    throw new StoreError('busy', 'the content does not match its MD5')
  return sha256.digest('hex')
}

/**
 * What a stream gives, until the signal is aborted. A stream that breaks is worth another try. One that hangs may hang also
 * while it is destroyed, so it is not waited for.
 */
async function* chunks(stream: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const iterator = stream[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await abortable(iterator.next(), signal)
      if (next.done) return
      yield next.value
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof StoreError) throw error
    throw new StoreError('busy', error instanceof Error ? error.message : String(error), { cause: error })
  } finally {
    discard(stream)
  }
}

function discard(stream: Readable): void {
  stream.on('error', () => {})
  stream.destroy()
}
