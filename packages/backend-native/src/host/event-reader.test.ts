import { type ParameterValue, type Tensor, TritonError } from '@triton-ts/core'
import type { ExecutionMarks, ExecutionRequest, ReportedResponse } from '@triton-ts/core/backend'
import { expect, test } from 'vitest'
import { eventKind } from './event-kind.ts'
import { EventQueue } from './event-queue.ts'
import type { EventReceiver } from './event-reader.ts'
import { NameTable } from './name-table.ts'
import type { RequestSlot } from './request-slot.ts'
import { RequestSlots } from './request-slots.ts'
import type { Run } from './run.ts'

/** Writes down what a request and its batch are told. */
class Rig {
  readonly told: unknown[] = []
  readonly slots = new RequestSlots()
  readonly owner = {
    cancel: (slot: RequestSlot) => this.told.push(['cancel', slot.number]),
    finish: (slot: RequestSlot) => {
      this.told.push('finish')
      this.slots.give(slot)
    },
    lose: (slot: RequestSlot) => {
      this.told.push('lose')
      this.slots.drop(slot)
    },
    complain: (error: unknown) => this.told.push(['complain', error]),
  }
  readonly marks: ExecutionMarks = {
    computeStart: () => {},
    computeEnd: () => {},
    reportRequest: (_, durations, success) => this.told.push(['request', durations, success]),
    reportBatch: () => {},
    reportResponse: (_, response: ReportedResponse) => this.told.push(['response', response]),
  }
  readonly receiver: EventReceiver = {
    slot: (number) => this.slots.find(number),
    failed: (error) => this.told.push(['failed', error]),
    operationEnded: (...args) => this.told.push(['operation', ...args]),
    executed: (...args) => this.told.push(['executed', ...args]),
    batchReported: (...args) => this.told.push(['batch', ...args]),
    logged: (record) => this.told.push(['log', record]),
    inferRequested: (...args) => this.told.push(['infer', ...args]),
    inferCancelled: (...args) => this.told.push(['inferCancel', ...args]),
    inferAnswered: (...args) => this.told.push(['inferAnswered', ...args]),
    asked: (...args) => this.told.push(['query', ...args]),
    traced: (_, ...args) => this.told.push(['trace', ...args]),
  }
  readonly #events = new EventQueue(this.receiver)

  take(isDecoupled = true): RequestSlot {
    const run: Run = {
      instanceId: 1,
      instance: 'm_0',
      names: new NameTable(['OUT']),
      isDecoupled,
      marks: this.marks,
      slots: [],
    }
    return this.slots.take(this.#request(), run, this.owner)
  }

  deliver(numbers: readonly number[], ...values: unknown[]): void {
    this.#events.deliver(Float64Array.from(numbers), numbers.length, values)
  }

  #request(): ExecutionRequest {
    return {
      id: '',
      correlationId: 0n,
      sequenceStart: false,
      sequenceEnd: false,
      priority: 0,
      timeoutMicroseconds: 0,
      parameters: {},
      inputs: new Map(),
      batchSize: 0,
      requestedOutputs: [],
      isCancelled: false,
      signal: new AbortController().signal,
      respond: ({ outputs, parameters }, { final = true } = {}) => {
        this.told.push(['respond', plain(outputs), parameters, final])
      },
      fail: (error, { final = true } = {}) => {
        this.told.push(['fail', error.code, error.message, ...(final ? [] : ['more'])])
      },
      end: () => this.told.push('end'),
      keep: () => this.told.push('keep'),
      room: () => undefined,
      updateState: (output, state) => this.told.push(['state', output, plain({ state })]),
      reschedule: () => this.told.push('reschedule'),
    }
  }
}

const plain = (outputs: Readonly<Record<string, Tensor>>) =>
  Object.entries(outputs).map(([name, { datatype, shape, data }]) => [name, datatype, shape, [...data]])

const bytes = (...values: number[]) => Uint8Array.from(values)
const none: Record<string, ParameterValue> = {}
const { response, released, executed } = eventKind

test('one response, then the release', () => {
  const rig = new Rig()
  const { number } = rig.take()
  rig.deliver(
    [response, number, 1, -1, 0, 2, 0, 8, 1, 2, -1, 2, 2, 1, 1, released, number, 0, executed, 9, 2e6, -1],
    new Uint8Array(new Int32Array([5, 6]).buffer),
    'EXTRA',
    new Uint8Array([7]),
  )
  expect(rig.told).toEqual([
    [
      'respond',
      [
        ['OUT', 'INT32', [2], [5, 6]],
        ['EXTRA', 'UINT8', [1, 1], [7]],
      ],
      none,
      true,
    ],
    'finish',
    ['executed', 9, 2, undefined],
  ])
  expect(rig.take().number).toBe(number)
})

test('many responses after the release, then an end without one', () => {
  const rig = new Rig()
  const { number } = rig.take()
  const one = [response, number, 0, -1, 0, 1, 0, 2, 1, 1]
  rig.deliver(
    [released, number, 0, ...one, ...one, response, number, 1, -1, 0, -1],
    new Uint8Array([1]),
    new Uint8Array([2]),
  )
  expect(rig.told).toEqual([
    ['respond', [['OUT', 'UINT8', [1], [1]]], none, false],
    ['respond', [['OUT', 'UINT8', [1], [2]]], none, false],
    'end',
    'finish',
  ])
})

test('parameters of every type', () => {
  const rig = new Rig()
  const { number } = rig.take()
  rig.deliver(
    [response, number, 1, -1, 6, 0, 1, 1, 2, 1, 3, 0.5, 4, 0],
    ...['s', 'text', 'i', 7n, 'l', 2n ** 60n, 'b', 'd', 'y', new Uint8Array([104, 105])],
  )
  expect(rig.told).toEqual([['respond', [], { s: 'text', i: 7, l: 2n ** 60n, b: true, d: 0.5, y: 'hi' }, true]])
})

test('an error that is not the last response has others behind it', () => {
  const rig = new Rig()
  const { number } = rig.take()
  rig.deliver(
    [response, number, 0, 3, 0, 0, response, number, 0, -1, 0, 0, response, number, 1, -1, 0, -1, released, number, 0],
    'wrong',
  )
  expect(rig.told).toEqual([['fail', 'INVALID_ARG', 'wrong', 'more'], ['respond', [], {}, false], 'end', 'finish'])
})

test('of a model that is not decoupled nothing is told after an error, but its end is waited for', () => {
  const rig = new Rig()
  const { number } = rig.take(false)
  rig.deliver(
    [response, number, 0, 3, 0, 0, released, number, 0, executed, 4, 2e6, -1, response, number, 1, -1, 0, -1],
    'wrong',
  )
  expect(rig.told).toEqual([['fail', 'INVALID_ARG', 'wrong'], ['executed', 4, 2, undefined], 'finish'])
})

test('an output of no data type is an error, and what stands behind it is read', () => {
  const rig = new Rig()
  const { number } = rig.take()
  rig.deliver([response, number, 1, -1, 0, 1, 0, 99, 1, 1, executed, 4, 2e6, -1], new Uint8Array([1]))
  expect(rig.told).toEqual([
    ['fail', 'INVALID_ARG', "the backend answered with output 'OUT' of no valid data type"],
    ['executed', 4, 2, undefined],
  ])
})

test('what is said of a request that is gone is read and dropped', () => {
  const rig = new Rig()
  const slot = rig.take()
  slot.abandon()
  expect(rig.take().number).not.toBe(slot.number)
  rig.deliver([response, slot.number, 1, -1, 0, 1, 0, 2, 1, 1, executed, 4, 2e6, -1], new Uint8Array([1]))
  expect(rig.told).toEqual([
    ['fail', 'INTERNAL', "instance 'm_0' was finalized without answering the request"],
    'lose',
    ['executed', 4, 2, undefined],
  ])
})

test('a failed run gives back what was not released; what was, still has its number until its end', () => {
  const rig = new Rig()
  const [kept, started] = [rig.take(), rig.take()]
  rig.deliver([released, started.number, 0])
  kept.takeBack()
  started.takeBack()
  expect(rig.told).toEqual(['finish'])
  expect(rig.take()).toBe(kept)
  rig.deliver([response, started.number, 1, 1, 0, 0], 'nobody answered')
  expect(rig.told).toEqual(['finish', 'finish'])
})

test('a request that is given back runs again', () => {
  const rig = new Rig()
  const { number } = rig.take()
  rig.deliver([released, number, 1])
  expect(rig.told).toEqual(['reschedule', 'finish'])
})

test('what the engine does not take fails the request', () => {
  const rig = new Rig()
  const slot = rig.take()
  const { number } = slot
  slot.request = {
    ...(slot.request as ExecutionRequest),
    end: () => {
      throw new TritonError('INTERNAL', 'not decoupled')
    },
  }
  rig.deliver([response, number, 1, -1, 0, -1, released, number, 0])
  expect(rig.told).toEqual([['fail', 'INTERNAL', 'not decoupled'], 'finish'])
})

test('states, times, logs and traces', () => {
  const rig = new Rig()
  const { number } = rig.take()
  rig.deliver(
    [
      ...[eventKind.state, number, -1, 2, 1, 1],
      ...[eventKind.requestStatistics, number, 1, 1e6, 2e6, 3e6],
      ...[eventKind.batchStatistics, 5, 8, 1e6, 2e6, 3e6],
      ...[eventKind.responseStatistics, number, 1e6, 3e6, 4e6, 0],
      ...[eventKind.responseStatistics, number, 1e6, 0, 4e6, 1],
      ...[eventKind.log, 2, 1, 42],
      ...[eventKind.trace, number, 7, 0, 10, 99],
    ],
    ...['S', new Uint8Array([1]), 'a.cc', 'text', 'MINE'],
  )
  const durations = { computeInput: 1, computeInfer: 2, computeOutput: 3 }
  expect(rig.told).toEqual([
    ['state', 'S', [['state', 'UINT8', [1], [1]]]],
    ['request', durations, true],
    ['batch', 5, 8, durations],
    ['response', { outcome: 'success', computeInfer: 2, computeOutput: 1 }],
    ['response', { outcome: 'empty', computeInfer: 3 }],
    ['log', { backend: 2, level: 1, line: 42, file: 'a.cc', text: 'text' }],
    ['trace', 10, 99, 'MINE'],
  ])
})

test('operations, nested requests and queries', () => {
  const rig = new Rig()
  rig.deliver(
    [
      ...[eventKind.operation, 1, -1, eventKind.operation, 2, 4],
      ...[eventKind.infer, 3, 1, eventKind.inferCancel, 3, eventKind.inferAnswered, 3, 1, eventKind.query, 6, 1],
    ],
    ...['result', 'gone', 'nested', 'question'],
  )
  expect(rig.told).toEqual([
    ['operation', 1, undefined, 'result'],
    ['operation', 2, new TritonError('UNAVAILABLE', 'gone'), undefined],
    ['infer', 3, 1, 'nested'],
    ['inferCancel', 3],
    ['inferAnswered', 3],
    ['query', 6, 1, 'question'],
  ])
})

test('what stands behind an unknown record is lost, the next delivery is not', () => {
  const rig = new Rig()
  rig.deliver([77, 1, 2, 3])
  rig.deliver([eventKind.inferCancel, 3])
  expect(rig.told).toEqual([
    ['failed', new TritonError('INTERNAL', 'the addon delivered a record of the unknown kind 77')],
    ['inferCancel', 3],
  ])
})

test('what is delivered while events are told comes behind them', () => {
  const rig = new Rig()
  const [inline, stream] = [rig.take(), rig.take()]
  inline.request = {
    ...(inline.request as ExecutionRequest),
    respond: () => {
      rig.deliver([response, stream.number, 0, -1, 0, 1, 0, 2, 1, 1, response, stream.number, 1, -1, 0, -1], bytes(2))
      rig.told.push('delivered')
    },
  }
  rig.deliver(
    [
      response,
      inline.number,
      1,
      -1,
      0,
      0,
      response,
      stream.number,
      0,
      -1,
      0,
      1,
      0,
      2,
      1,
      1,
      released,
      stream.number,
      0,
    ],
    bytes(1),
  )
  expect(rig.told).toEqual([
    ['respond', [['OUT', 'UINT8', [1], [1]]], none, false],
    ['respond', [['OUT', 'UINT8', [1], [2]]], none, false],
    'end',
    'finish',
    'delivered',
  ])
})

test('an instance that is gone leaves no request waiting', () => {
  const rig = new Rig()
  rig.take()
  for (const slot of rig.slots.ofInstance(1)) slot.abandon()
  expect(rig.told).toEqual([['fail', 'INTERNAL', "instance 'm_0' was finalized without answering the request"], 'lose'])
  expect([...rig.slots.ofInstance(1)]).toEqual([])
})
