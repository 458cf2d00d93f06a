import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'

const pollMilliseconds = 200

/** Does something while no other process of this machine does so with the same lock file. A lock whose process is gone does not count. */
export async function withFileLock<T>(file: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  while (!(await take(file))) {
    if (await isHeld(file)) await setTimeout(pollMilliseconds, undefined, { signal })
    else await rm(file, { force: true })
  }
  try {
    return await work()
  } finally {
    await rm(file, { force: true })
  }
}

async function take(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function isHeld(file: string): Promise<boolean> {
  const pid = Number(await readFile(file, 'utf8').catch(() => ''))
  // Whoever has just made the file has not written to it.
  if (pid === 0) return true
  // In a container every start has the same id: one that is older than this process is of an earlier one.
  if (pid === process.pid) return Date.now() - process.uptime() * 1000 < (await madeAt(file))
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const madeAt = (file: string): Promise<number> =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  )
