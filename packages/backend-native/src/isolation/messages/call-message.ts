import type { ErrorMessage } from './error-message.ts'

/** The calls that one side answers, as functions. */
export type Calls<C> = { [K in keyof C]: (...args: never[]) => unknown }

/** A call of the other side. The caller numbers it. */
export type CallMessage<C extends Calls<C>> = {
  [K in keyof C]: { readonly kind: 'call'; readonly call: number; readonly method: K; readonly args: Parameters<C[K]> }
}[keyof C]

/** The caller of a call does not want it any more. */
export interface AbortMessage {
  readonly kind: 'abort'
  readonly call: number
}

export type AnswerMessage =
  | { readonly kind: 'returned'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'threw'; readonly call: number; readonly error: ErrorMessage }
