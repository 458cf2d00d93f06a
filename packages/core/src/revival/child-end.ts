import type { ChildProcess } from 'node:child_process'
import type { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../util/clock.ts'
import type { ProcessEnd } from './process-end.ts'
import { settlesWithin } from './settles-within.ts'

/** Processes of its own that a child left behind may hold its output open. */
const outputMilliseconds = 1000

/**
 * Resolves when a child process is gone and everything that it sent and printed has come.
 * @param streams to the child, all of them.
 * @param closed what else to wait for before its output is complete.
 */
export async function childEnd(
  child: ChildProcess,
  streams: readonly (Readable | Writable)[],
  clock: Clock,
  closed: readonly Promise<void>[] = [],
): Promise<ProcessEnd> {
  const complete = Promise.all([...closed, ...streams.map((stream) => emitted(stream, 'close'))])
  await emitted(child, 'exit')
  if (!(await settlesWithin(complete, outputMilliseconds, clock))) for (const stream of streams) stream.destroy()
  return { code: child.exitCode, signal: child.signalCode }
}

/** Resolves with the next event of this name. */
export const emitted = (emitter: EventEmitter, event: string): Promise<void> =>
  new Promise((resolve) => emitter.once(event, () => resolve()))
