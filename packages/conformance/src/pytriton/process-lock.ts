import { readFile, rm, writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'

const pollMs = 200

/**
 * Runs a task while no other process of this machine does so with the same lock file. A lock whose process is gone does
 * not count. Waits for others as long as they live.
 */
export async function withProcessLock<T>(file: string, task: () => Promise<T>): Promise<T> {
  while (!(await take(file))) {
    if (!(await isHeld(file))) await rm(file, { force: true })
    else await setTimeout(pollMs)
  }
  try {
    return await task()
  } finally {
    await rm(file, { force: true })
  }
}

const take = (file: string): Promise<boolean> =>
  writeFile(file, String(process.pid), { flag: 'wx' }).then(
    () => true,
    () => false,
  )

/** Whether the process that wrote the lock lives. */
async function isHeld(file: string): Promise<boolean> {
  const pid = Number(await readFile(file, 'utf8').catch(() => ''))
  return pid > 0 && isAlive(pid)
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
