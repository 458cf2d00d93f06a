import { readSync, writeSync } from 'node:fs'
import type { AnswerMessage, CallMessage } from '../messages/call-message.ts'
import { descriptors } from '../messages/descriptors.ts'
import { fromErrorMessage } from '../messages/error-message.ts'
import { FrameReader, frame } from '../messages/frame.ts'
import type { ServerQueries } from '../messages/nested-message.ts'

const chunk = Buffer.alloc(64 * 1024)

/**
 * Asks the parent and waits, for what `BackendServer` answers without a promise. The parent never waits for the child
 * in this way, so it always answers.
 */
export function query<K extends keyof ServerQueries>(
  method: K,
  args: Parameters<ServerQueries[K]>,
): ReturnType<ServerQueries[K]> {
  const question = { kind: 'call', call: 0, method, args } as CallMessage<ServerQueries>
  writeAll(frame(question))
  const answer = readAnswer()
  if (answer.kind === 'threw') throw fromErrorMessage(answer.error)
  return answer.value as ReturnType<ServerQueries[K]>
}

function writeAll(bytes: Buffer): void {
  for (let written = 0; written < bytes.byteLength; ) {
    written += writeSync(descriptors.queries, bytes, written)
  }
}

function readAnswer(): AnswerMessage {
  const reader = new FrameReader()
  for (;;) {
    const size = readSync(descriptors.queries, chunk)
    if (size === 0) process.exit()
    const [answer] = reader.push(chunk.subarray(0, size))
    if (answer !== undefined) return answer as AnswerMessage
  }
}
