/** `[code, message]`; the code is Triton's number. */
export type ErrorMessage = readonly [code: number, message: string]

/** `place` 0: the frame's blob area, 1: the sender's shared region. */
export type TensorMessage = readonly [
  name: string,
  datatype: string,
  shape: readonly number[],
  place: number,
  offset: number,
  size: number,
]

/** A parameter as Python sends it: what JSON has no exact form of is tagged. */
export type ParameterMessage =
  | string
  | number
  | boolean
  | { readonly u: string }
  | { readonly f: 'NaN' | 'Infinity' | '-Infinity' }

export type ParameterMessages = Readonly<Record<string, ParameterMessage>>

/** What answers a request, or a part of it. */
export interface AnswerMessage {
  readonly out?: readonly TensorMessage[]
  readonly params?: ParameterMessages
  readonly error?: ErrorMessage
}

/** How a call of the child ended. */
export interface DoneCall {
  readonly k: 'done_call'
  readonly id: number
  readonly config?: string
  readonly ready?: boolean
  /** Of `initialize`: whether the model has a function of this name. */
  readonly is_ready?: boolean
  readonly error?: ErrorMessage
  readonly trace?: string
}

export interface Executed {
  readonly k: 'executed'
  readonly b: number
  readonly r?: readonly (AnswerMessage | null)[]
  readonly error?: ErrorMessage
  /** Nanoseconds of unpacking, running and packing. */
  readonly ns?: readonly [number, number, number]
}

export interface SentResponse extends AnswerMessage {
  readonly k: 'send'
  readonly s: number
  readonly final: boolean
}

/** A request that the model sends to another one. */
export interface NestedAsk {
  readonly k: 'nested'
  readonly id: number
  /** The slot of the request that it serves, or -1. */
  readonly s: number
  /** The batch that it serves; absent when that is not known. */
  readonly b?: number
  readonly model: string
  readonly version: number
  readonly in: readonly TensorMessage[]
  readonly out?: readonly string[]
  readonly rid?: string
  readonly c?: ParameterMessage
  readonly f?: number
  readonly t?: ParameterMessage
  readonly p?: ParameterMessage
  readonly params?: ParameterMessages
  readonly decoupled?: boolean
}

/** Something that the Server is asked for. */
export interface ServerCall {
  readonly k: 'call'
  readonly id: number
  readonly method: string
  readonly args: Readonly<Record<string, unknown>>
}

export type MetricOperation = readonly [
  handle: number,
  operation: 'increment' | 'set' | 'observe',
  value: number | { readonly f: string },
]

/** A point in time of a request's trace. */
export interface TraceMessage {
  readonly k: 'trace'
  readonly s: number
  readonly activity: string
  readonly ns: number | { readonly u: string }
}

/** A line for the log. */
export interface LogMessage {
  readonly k: 'log'
  readonly level: 'ERROR' | 'WARNING' | 'INFO' | 'VERBOSE'
  readonly message: string
  readonly file?: string
  readonly line?: number
}

export type ChildMessage = (
  | DoneCall
  | Executed
  | SentResponse
  | NestedAsk
  | ServerCall
  | { readonly k: 'reschedule' | 'release'; readonly s: number }
  | { readonly k: 'nested_cancel'; readonly id: number }
  | { readonly k: 'nested_credit'; readonly id: number; readonly n: number }
  | { readonly k: 'metric'; readonly ops: readonly MetricOperation[] }
  | LogMessage
  | TraceMessage
  | { readonly k: 'free' }
) & {
  /** Blocks of the parent's region that the child does not use any more. */
  readonly free?: readonly number[]
}
