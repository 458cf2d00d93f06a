import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { TritonError } from '@triton-ts/core'
import { withFileLock } from './file-lock.ts'

const run = promisify(execFile)

/** Where archives are unpacked: `$XDG_CACHE_HOME/triton-ts/environments`. */
export const environmentCache = (): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'triton-ts', 'environments')

/**
 * The directory of a conda-pack archive (`.tar.gz`), which is unpacked once for as long as the archive stays as it is.
 * @param cache holds the directories.
 * @throws TritonError INTERNAL when it cannot be unpacked.
 */
export async function unpackedEnvironment(archive: string, cache: string, signal: AbortSignal): Promise<string> {
  const path = await realpath(archive)
  const { size, mtimeMs } = await stat(path)
  const key = createHash('sha256')
    .update(JSON.stringify([path, size, mtimeMs]))
    .digest('hex')
    .slice(0, 16)
  const directory = join(cache, key)
  const complete = join(directory, '.triton-ts-complete')
  if (existsSync(complete)) return directory
  await mkdir(cache, { recursive: true })
  await withFileLock(`${directory}.lock`, signal, async () => {
    if (existsSync(complete)) return
    await rm(directory, { recursive: true, force: true })
    await mkdir(directory)
    await unpack(path, directory, signal)
    await writeFile(complete, '')
  })
  return directory
}

async function unpack(archive: string, directory: string, signal: AbortSignal): Promise<void> {
  try {
    // Without the owners of the archive; tar itself refuses paths that lead out of the directory.
    await run('tar', ['-xf', archive, '-C', directory, '--no-same-owner'], { signal })
    // Scripts of the environment name the place where it was packed until this one corrects them.
    const corrects = join(directory, 'bin', 'conda-unpack')
    if (existsSync(corrects)) await run(join(directory, 'bin', 'python'), [corrects], { signal })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.trim() : String(cause)
    throw new TritonError('INTERNAL', `EXECUTION_ENV_PATH: ${archive} cannot be unpacked: ${why}`, { cause })
  }
}
