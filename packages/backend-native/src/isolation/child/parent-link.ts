import { inspect } from 'node:util'
import type { Logger } from '@triton-ts/core'
import type { ChildMessage } from '../messages/messages.ts'

export type Send = (message: ChildMessage) => void

/**
 * Sends a message to the parent.
 * @throws Error for what cannot be sent, a function for instance.
 */
export const sendToParent: Send = (message) => {
  // A parent that is gone ends this process anyway; without the callback an error would be thrown before.
  process.send?.(message, undefined, undefined, ignore)
}

const ignore = (): void => {}

/** The Server's logger. What cannot be sent is sent as text. */
export function parentLogger(send: Send): Logger {
  const at =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      try {
        send({ kind: 'log', level, fields, message })
      } catch {
        send({ kind: 'log', level, fields: { fields: inspect(fields) }, message })
      }
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
