import { type Tensor, TritonError } from '@triton-ts/core'
import type { ComputeDurations } from '@triton-ts/core/backend'
import type { NativeQuery, NestedRequest } from './binding.ts'
import { eventKind } from './event-kind.ts'
import type { LogRecord } from './library-log.ts'
import type { RecordReader } from './record-reader.ts'
import { readReportedResponse } from './reported-response.ts'
import type { RequestSlot } from './request-slot.ts'

/** Whom the records are for. */
export interface EventReceiver {
  /** Somebody threw who was told of an event. */
  failed(error: unknown): void
  slot(number: number): RequestSlot | undefined
  operationEnded(operation: number, error: TritonError | undefined, result: unknown): void
  /** @param execution the number of the instance, which runs one at a time. */
  executed(execution: number, cpuMilliseconds: number, error: TritonError | undefined): void
  batchReported(instance: number, batchSize: number, durations: ComputeDurations): void
  logged(record: LogRecord): void
  inferRequested(infer: number, model: number, request: NestedRequest): void
  inferCancelled(infer: number): void
  inferAnswered(infer: number): void
  asked(query: number, model: number, request: NativeQuery): void
  traced(slot: RequestSlot | undefined, activity: number, nanoseconds: number, name: string): void
}

/**
 * Reads one record and tells whom it concerns. It is read to its end before anybody acts, who may make the addon deliver
 * again.
 * @throws TritonError INTERNAL for a record of an unknown kind: nobody can tell where the next one begins.
 */
export function readEvent(reader: RecordReader, receiver: EventReceiver): void {
  const kind = reader.number()
  const read = readers[kind]
  if (read === undefined) {
    throw new TritonError('INTERNAL', `the addon delivered a record of the unknown kind ${kind}`)
  }
  try {
    read(reader, receiver)
  } catch (error) {
    // The records behind it are others' requests.
    receiver.failed(error)
  }
}

const readers: Record<number, (reader: RecordReader, receiver: EventReceiver) => void> = {
  [eventKind.operation]: readOperation,
  [eventKind.response]: readResponse,
  [eventKind.state]: readState,
  [eventKind.trace]: readTrace,
  [eventKind.log]: readLog,
  [eventKind.released]: (reader, receiver) => {
    const slot = receiver.slot(reader.number())
    const isRescheduled = reader.flag()
    slot?.release(isRescheduled)
  },
  [eventKind.executed]: (reader, receiver) => receiver.executed(reader.number(), reader.number() / 1e6, reader.error()),
  [eventKind.requestStatistics]: (reader, receiver) => {
    const slot = receiver.slot(reader.number())
    const success = reader.flag()
    const durations = readDurations(reader)
    slot?.reportRequest(durations, success)
  },
  [eventKind.batchStatistics]: (reader, receiver) =>
    receiver.batchReported(reader.number(), reader.number(), readDurations(reader)),
  [eventKind.responseStatistics]: (reader, receiver) => {
    const slot = receiver.slot(reader.number())
    const response = readReportedResponse(reader)
    slot?.reportResponse(response)
  },
  [eventKind.infer]: (reader, receiver) => receiver.inferRequested(reader.number(), reader.number(), reader.value()),
  [eventKind.inferCancel]: (reader, receiver) => receiver.inferCancelled(reader.number()),
  [eventKind.inferAnswered]: (reader, receiver) => {
    const infer = reader.number()
    // Whether it was the last answer, which the inference knows itself.
    reader.flag()
    receiver.inferAnswered(infer)
  },
  [eventKind.query]: (reader, receiver) => receiver.asked(reader.number(), reader.number(), reader.value()),
}

function readTrace(reader: RecordReader, receiver: EventReceiver): void {
  const slot = receiver.slot(reader.number())
  // The ids of the trace and its parent: the request tells which trace it is.
  reader.number()
  reader.number()
  receiver.traced(slot, reader.number(), reader.number(), reader.value())
}

function readLog(reader: RecordReader, receiver: EventReceiver): void {
  receiver.logged({
    backend: reader.number(),
    level: reader.number(),
    line: reader.number(),
    file: reader.value(),
    text: reader.value(),
  })
}

function readOperation(reader: RecordReader, receiver: EventReceiver): void {
  const operation = reader.number()
  const error = reader.error()
  receiver.operationEnded(operation, error, error === undefined ? reader.value() : undefined)
}

function readResponse(reader: RecordReader, receiver: EventReceiver): void {
  const slot = receiver.slot(reader.number())
  const final = reader.flag()
  const error = reader.error()
  const parameters = reader.parameters()
  const count = reader.number()
  const names = slot?.run?.names
  const outputs: Record<string, Tensor> = {}
  let untyped: string | undefined
  for (let i = 0; i < count; i++) {
    const name = reader.name(names)
    const tensor = reader.tensor()
    if (tensor === undefined) untyped = name
    else outputs[name] = tensor
  }
  if (error !== undefined) slot?.fail(error, final)
  else if (untyped !== undefined) slot?.fail(invalidType(`output '${untyped}'`), final)
  else slot?.respond(count < 0 ? undefined : outputs, parameters, final)
}

function readState(reader: RecordReader, receiver: EventReceiver): void {
  const slot = receiver.slot(reader.number())
  const name = reader.name(slot?.run?.names)
  const tensor = reader.tensor()
  if (tensor === undefined) slot?.fail(invalidType(`state '${name}'`), false)
  else slot?.updateState(name, tensor)
}

/** Nanoseconds to milliseconds. */
const readDurations = (reader: RecordReader): ComputeDurations => ({
  computeInput: reader.number() / 1e6,
  computeInfer: reader.number() / 1e6,
  computeOutput: reader.number() / 1e6,
})

const invalidType = (what: string): TritonError =>
  new TritonError('INVALID_ARG', `the backend answered with ${what} of no valid data type`)
