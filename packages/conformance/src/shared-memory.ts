import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Case } from './corpus.ts'
import { withProcessLock } from './pytriton/process-lock.ts'

/** Where POSIX shared memory is files, on Linux. */
const directory = '/dev/shm'
const fileOf = (key: string): string => join(directory, key)

/** A case that may write regions before its request. */
type SetUp = Pick<Case, 'shm_setup'>

/**
 * Replays cases while the shared memory regions that they set up are there. Their names are recorded, so one process of
 * the machine has them at a time.
 */
export async function withSharedMemory<T>(cases: readonly SetUp[], replay: () => Promise<T>): Promise<T> {
  const keys = new Set(cases.flatMap(({ shm_setup = [] }) => shm_setup.map(({ key }) => key)))
  if (keys.size === 0) return replay()
  return withProcessLock(join(tmpdir(), 'triton-ts-golden-shared-memory.lock'), async () => {
    try {
      return await replay()
    } finally {
      for (const key of keys) await rm(fileOf(key), { force: true })
    }
  })
}

/** Writes the regions that a case sets up. */
export async function setUpSharedMemory({ shm_setup = [] }: SetUp): Promise<void> {
  for (const { key, b64 } of shm_setup) await writeFile(fileOf(key), Buffer.from(b64, 'base64'))
}

/** Says how a region differs from what the server left in it when it was recorded. */
export async function compareSharedMemory({ response: { shm_after: want } }: Case): Promise<string | undefined> {
  if (want === undefined) return undefined
  const expected = Buffer.from(want.b64, 'base64')
  const content = await readFile(fileOf(want.key))
  return content.subarray(0, expected.length).equals(expected) ? undefined : `shared memory '${want.key}' differs`
}
