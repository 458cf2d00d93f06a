import { type DataType, type ParameterValue, Tensor } from '@triton-ts/core'
import type { ExecutionRequest } from '@triton-ts/core/backend'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dataTypeOf } from './abi-numbers.ts'
import { NameTable } from './name-table.ts'
import { RecordReader } from './record-reader.ts'
import { SubmissionWriter } from './submission-writer.ts'

const names = new NameTable(['A', 'B', 'OUT'])

interface Content {
  readonly id: string
  readonly correlationId: bigint | string
  readonly sequenceStart: boolean
  readonly sequenceEnd: boolean
  readonly priority: number
  readonly timeoutMicroseconds: number
  readonly parameters: Record<string, ParameterValue>
  readonly inputs: readonly (readonly [string, Tensor])[]
  readonly requestedOutputs: readonly string[]
}

const tensors = fc
  .record({
    type: fc.constantFrom<DataType>('BOOL', 'UINT8', 'FP16', 'INT64', 'FP64', 'BYTES', 'BF16'),
    shape: fc.array(fc.nat(9), { maxLength: 5 }),
    bytes: fc.uint8Array({ maxLength: 32 }),
  })
  .map(({ type, shape, bytes }) => Tensor.fromBytes(type, shape, bytes))

const contents: fc.Arbitrary<Content> = fc.record({
  id: fc.string(),
  correlationId: fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.string()),
  sequenceStart: fc.boolean(),
  sequenceEnd: fc.boolean(),
  priority: fc.nat(),
  timeoutMicroseconds: fc.nat(Number.MAX_SAFE_INTEGER),
  parameters: fc
    .uniqueArray(
      fc.tuple(
        fc.string({ minLength: 1 }),
        fc.oneof(
          fc.string(),
          fc.boolean(),
          fc.double({ noNaN: true }),
          fc.integer(),
          fc.bigInt(2n ** 53n, 2n ** 63n - 1n),
        ),
      ),
      { selector: ([name]) => name, maxLength: 5 },
    )
    .map((entries) => Object.fromEntries(entries.filter(([name]) => name !== '__proto__'))),
  inputs: fc.uniqueArray(fc.tuple(fc.constantFrom('A', 'B', 'unknown', ''), tensors), { selector: ([name]) => name }),
  requestedOutputs: fc.uniqueArray(fc.constantFrom('OUT', 'A', 'other')),
})

const requestOf = ({ inputs, ...content }: Content): ExecutionRequest => ({
  ...content,
  inputs: new Map(inputs),
  batchSize: 0,
  isCancelled: false,
  signal: new AbortController().signal,
  respond: () => {},
  fail: () => {},
  end: () => {},
  keep: () => {},
  room: () => undefined,
  updateState: () => {},
  reschedule: () => {},
})

/** Reads a request as the addon does. */
function readRequest(reader: RecordReader) {
  const number = reader.number()
  const flags = reader.number()
  const priority = reader.number()
  const timeoutMicroseconds = reader.number()
  const correlationId = reader.number() === 0 ? 0n : reader.value<bigint | string>()
  const id = reader.flag() ? reader.value<string>() : ''
  const parameters = reader.parameters()
  const inputs = list(reader, () => [reader.name(names), typed(reader)] as const)
  const requestedOutputs = list(reader, () => reader.name(names))
  const trace = reader.number()
  return {
    number,
    flags,
    priority,
    timeoutMicroseconds,
    correlationId,
    id,
    parameters,
    inputs,
    requestedOutputs,
    trace,
  }
}

function list<T>(reader: RecordReader, read: () => T): T[] {
  const count = reader.number()
  return Array.from({ length: count }, read)
}

function typed(reader: RecordReader) {
  const tensor = reader.tensor()
  return { datatype: tensor?.datatype, shape: tensor?.shape, bytes: tensor?.bytes }
}

test('requests are read as they were written, and a larger batch gets a larger array', () => {
  fc.assert(
    fc.property(fc.array(contents, { minLength: 1, maxLength: 20 }), (batch) => {
      const arrays: Float64Array[] = []
      const writer = new SubmissionWriter((numbers) => arrays.push(numbers))
      writer.begin()
      batch.forEach((content, i) => {
        writer.request(i + 1, requestOf(content), names)
      })
      const { numbers } = writer
      expect(arrays.at(-1)?.buffer).toBe(numbers.buffer)
      const reader = new RecordReader(numbers, numbers.length, writer.take())
      batch.forEach((content, i) => {
        expect(readRequest(reader)).toEqual({
          number: i + 1,
          flags: (content.sequenceStart ? 1 : 0) + (content.sequenceEnd ? 2 : 0),
          priority: content.priority,
          timeoutMicroseconds: content.timeoutMicroseconds,
          correlationId: content.correlationId === '' ? 0n : content.correlationId,
          id: content.id,
          // A zero has no sign when it is whole.
          parameters: Object.fromEntries(
            Object.entries(content.parameters).map(([name, value]) => [name, Object.is(value, -0) ? 0 : value]),
          ),
          inputs: content.inputs.map(([name, { datatype, shape, bytes }]) => [name, { datatype, shape, bytes }]),
          requestedOutputs: content.requestedOutputs,
          trace: 0,
        })
      })
      expect(reader.isAtEnd).toBe(true)
    }),
    { numRuns: 200 },
  )
})

test('a batch of any size fits', () => {
  const arrays: Float64Array[] = []
  const writer = new SubmissionWriter((numbers) => arrays.push(numbers))
  const request = requestOf({
    id: '',
    correlationId: 0n,
    sequenceStart: false,
    sequenceEnd: false,
    priority: 0,
    timeoutMicroseconds: 0,
    parameters: {},
    inputs: [
      [
        'A',
        Tensor.fromBytes(
          'UINT8',
          Array.from({ length: 500 }, () => 1),
          new Uint8Array(1),
        ),
      ],
    ],
    requestedOutputs: ['OUT'],
  })
  writer.begin()
  for (let i = 1; i <= 10; i++) writer.request(i, request, names)
  expect(arrays.map(({ length }) => length)).toEqual([1024, 2048, 4096, 8192])
  const reader = new RecordReader(writer.numbers, writer.numbers.length, writer.take())
  for (let i = 1; i <= 10; i++) expect(readRequest(reader).number).toBe(i)
  writer.begin()
  expect(writer.numbers.length).toBe(0)
})

test('the trace of a request is written with its level', () => {
  const writer = new SubmissionWriter(() => {})
  const trace = {
    id: 7n,
    parentId: 3n,
    timestamps: true,
    tensors: true,
    context: '{"traceparent":"00"}',
    report: () => {},
    spawn: () => trace,
  }
  const [content] = fc.sample(contents, 1)
  writer.begin()
  writer.request(1, { ...requestOf({ ...(content as Content), inputs: [], requestedOutputs: [] }), trace }, names)
  expect([...writer.numbers.slice(-3)]).toEqual([12, 3, 7])
  expect(writer.take().at(-1)).toBe('{"traceparent":"00"}')
})

test('numbers that are no data type are none', () => {
  expect([0, 15, -1].map(dataTypeOf)).toEqual([undefined, undefined, undefined])
  expect([1, 13, 14].map(dataTypeOf)).toEqual(['BOOL', 'BYTES', 'BF16'])
})
