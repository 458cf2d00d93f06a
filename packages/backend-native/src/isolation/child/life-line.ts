import { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { descriptors } from '../messages/descriptors.ts'

const graceMilliseconds = 1000

/**
 * Ends this process some time after the parent has ended, from a thread of its own: the main thread may be in a call that
 * never returns.
 * @param entry the file of this process; in the thread it calls `watchParent`.
 */
export function startLifeLine(entry: URL): void {
  new Worker(entry, { name: 'parent', execArgv: [] }).unref()
}

export function watchParent(): void {
  const end = (): void => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), graceMilliseconds)
  }
  new Socket({ fd: descriptors.life }).on('error', end).once('close', end).resume()
}
