import { inspect } from 'node:util'
import type { Logger } from '@triton-ts/core'
import type { Send } from '../messages/asker.ts'
import type { WorkerMessage } from '../messages/messages.ts'

/** The Server's logger. What cannot be sent is sent as text. */
export function serverLogger(send: Send<WorkerMessage>): Logger {
  const at =
    (level: keyof Logger) =>
    (fields: object, message: string): void =>
      send({ kind: 'log', level, fields: sendable(fields), message })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function sendable(fields: object): object {
  try {
    return structuredClone(fields)
  } catch {
    return { fields: inspect(fields) }
  }
}
