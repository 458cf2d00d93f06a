import { StringCache } from '@triton-ts/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { goldenMessages } from '../fixtures/golden-cases.ts'
import { inferRequests } from '../fixtures/infer-arbitrary.ts'
import { encodeMessage, messageType } from '../fixtures/schema.ts'
import { GrpcError } from '../transport/grpc-status.ts'
import { ProtoReader } from '../wire/proto-reader.ts'
import type { InferParameters } from './infer-parameter.ts'
import { readWireRequest, type WireRequest } from './wire-request.ts'

const names = new StringCache()
const type = messageType('inference.ModelInferRequest')
const read = (bytes: Uint8Array): WireRequest => readWireRequest(new ProtoReader(bytes, names))

/** What protobufjs reads, as protobuf's JSON has it. */
const reference = (bytes: Uint8Array): object =>
  type.toObject(type.decode(bytes), { longs: String, bytes: String, enums: String })

/** The same of our reading; contents are left out. */
function toJson(bytes: Uint8Array): object {
  const { modelName, modelVersion, id, parameters, inputs, outputs, rawContents } = read(bytes)
  const raw: string[] = []
  for (let i = 0; i < rawContents.length; i += 2) {
    raw.push(Buffer.from(bytes.subarray(rawContents[i], rawContents[i + 1])).toString('base64'))
  }
  return present({
    model_name: modelName,
    model_version: modelVersion,
    id,
    parameters: parametersJson(parameters),
    inputs: inputs.map(({ name, datatype, shape, parameters }) =>
      present({ name, datatype, shape: shape.map(String), parameters: parametersJson(parameters) }),
    ),
    outputs: outputs.map(({ name, parameters }) => present({ name, parameters: parametersJson(parameters) })),
    raw_input_contents: raw,
  })
}

function parametersJson(parameters: InferParameters | undefined): object | undefined {
  if (parameters === undefined) return undefined
  const entries = [...parameters].map(([name, parameter]) => {
    if (parameter.choice === 'none') return [name, {}]
    const isLong = parameter.choice.endsWith('int64_param')
    return [name, { [parameter.choice]: isLong ? String(parameter.value) : parameter.value }]
  })
  return Object.fromEntries(entries)
}

/** Without what is at its default. */
const present = (message: Record<string, unknown>): object =>
  Object.fromEntries(
    Object.entries(message).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )

const withoutContents = (json: object): object =>
  JSON.parse(JSON.stringify(json, (key, value) => (key === 'contents' ? undefined : value)))

describe('reading ModelInferRequest', () => {
  test('gives what a real client meant, for every recorded request', () => {
    const messages = [...goldenMessages('request', 'ModelInfer'), ...goldenMessages('request', 'ModelStreamInfer')]
    expect(messages.length).toBeGreaterThan(90)
    for (const { bytes, json } of messages) expect(toJson(bytes)).toEqual(withoutContents(json))
  })

  test('gives what protobufjs gives, for any request', () => {
    fc.assert(
      fc.property(inferRequests, (message) => {
        const bytes = encodeMessage('inference.ModelInferRequest', message)
        expect(toJson(bytes)).toEqual(withoutContents(reference(bytes)))
      }),
    )
  })

  test('skips fields that are not known, of every wire type', () => {
    const known = encodeMessage('inference.ModelInferRequest', { model_name: 'm', id: 'i' })
    const unknown = Buffer.from('a0068080808010a1061122334455667788a20602ffffa306a80601a406a50611223344', 'hex')
    expect(toJson(Buffer.concat([unknown, known, unknown]))).toEqual({ model_name: 'm', id: 'i' })
  })

  test('skips a known field that is written as another type', () => {
    expect(toJson(Buffer.from('0805' + '0a016d', 'hex'))).toEqual({ model_name: 'm' })
  })

  test('never does anything but read or refuse, whatever the bytes', () => {
    const mutated = fc
      .tuple(inferRequests, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }))
      .map(([message, changes]) => {
        const bytes = Buffer.from(encodeMessage('inference.ModelInferRequest', message))
        for (const [at, value] of changes) if (bytes.length > 0) bytes[at % bytes.length] = value
        return new Uint8Array(bytes)
      })
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 64 }), mutated), (bytes) => {
        try {
          read(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(GrpcError)
          expect(error).toMatchObject({ status: 'INTERNAL', message: 'Unable to parse request' })
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('refuses every message that is cut short within a field', () => {
    const bytes = encodeMessage('inference.ModelInferRequest', { inputs: [{ name: 'INPUT0', shape: [1, 300] }] })
    for (let length = 1; length < bytes.length; length++) {
      expect(() => read(bytes.subarray(0, length))).toThrow('Unable to parse request')
    }
  })

  test.each([
    ['text that is not UTF-8', '0a02c328'],
    ['a varint of more than ten bytes', '2a0d1a0bffffffffffffffffffff01'],
    ['field number 0', '0000'],
    ['the end of a group that has not begun', '0c'],
    ['the end of another group', '0b14'],
    ['groups nested a thousandfold', '0b'.repeat(1000)],
    ['a length beyond the message', '0affffffff0f'],
    ['a length of more than 32 bits', '0a858080801068656c6c6f'],
  ])('refuses %s', (_, hex) => {
    expect(() => read(Buffer.from(hex, 'hex'))).toThrow('Unable to parse request')
  })

  test('has a bound for what takes more memory than bytes', () => {
    const inputs = Buffer.from('2a00'.repeat(70_000), 'hex')
    expect(() => read(inputs)).toThrow('a request has more than 65536 inputs')
    const shape = encodeMessage('inference.ModelInferRequest', { inputs: [{ shape: new Array(70_000).fill(1) }] })
    expect(() => read(shape)).toThrow('a request has more than 65536 dimensions of an input')
  })
})
