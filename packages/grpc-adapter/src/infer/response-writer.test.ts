import { type InferenceResponse, isDataType, type ParameterValue, Tensor } from '@triton-ts/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { goldenMessages } from '../fixtures/golden-cases.ts'
import { messageType } from '../fixtures/schema.ts'
import type { MessageParts } from '../transport/method.ts'
import { GrpcRequest } from './grpc-request.ts'
import { ResponseWriter } from './response-writer.ts'

/** `ModelInferResponse` as protobuf's JSON has it. */
interface ResponseJson {
  readonly model_name?: string
  readonly model_version?: string
  readonly id?: string
  readonly parameters?: Record<string, Record<string, unknown>>
  readonly outputs?: { name: string; datatype: string; shape: string[] }[]
  readonly raw_output_contents?: string[]
}

const request = new GrpcRequest()
const join = (parts: MessageParts): Buffer => Buffer.concat(parts)

/** A response of the engine that says the same. */
function toResponse(json: ResponseJson): InferenceResponse {
  const parameters = Object.entries(json.parameters ?? {}).map(([name, choice]): [string, ParameterValue] => {
    const [[kind, value]] = Object.entries(choice) as [[string, ParameterValue]]
    return [name, kind === 'int64_param' ? BigInt(value) : value]
  })
  const outputs = (json.outputs ?? []).map(({ name, datatype, shape = [] }, i): [string, Tensor] => {
    if (!isDataType(datatype)) throw new Error(datatype)
    const bytes = Buffer.from(json.raw_output_contents?.[i] ?? '', 'base64')
    return [name, Tensor.fromBytes(datatype, shape.map(Number), bytes)]
  })
  return {
    modelName: json.model_name ?? '',
    modelVersion: Number(json.model_version),
    id: json.id ?? '',
    parameters: Object.fromEntries(parameters),
    outputs: Object.fromEntries(outputs),
  }
}

/** Where several parameters come in the order in which a hash table has them, bytes cannot be compared. */
const hasOneOrder = ({ parameters = {} }: ResponseJson): boolean => Object.keys(parameters).length < 2

describe('writing ModelInferResponse', () => {
  const writer = new ResponseWriter()

  test('gives the bytes of a real server, for every recorded response', () => {
    const messages = goldenMessages('response', 'ModelInfer').filter(({ bytes }) => bytes.length > 0)
    expect(messages.length).toBeGreaterThan(30)
    for (const { bytes, json } of messages) {
      const written = join(writer.write(toResponse(json), request, undefined))
      if (hasOneOrder(json)) expect(written).toEqual(bytes)
      expect(written.length).toBe(bytes.length)
    }
  })

  test('gives the bytes of a real server on a stream', () => {
    const messages = goldenMessages('response', 'ModelStreamInfer') as {
      bytes: Buffer
      json: { error_message?: string; infer_response: ResponseJson }
    }[]
    expect(messages.length).toBeGreaterThan(10)
    for (const { bytes, json } of messages) {
      const { error_message: error, infer_response: response } = json
      const isFinal = response.parameters?.triton_final_response?.bool_param as boolean | undefined
      const origin = { id: response.id ?? '', modelName: response.model_name ?? '', modelVersion: '' }
      const { parameters: _, ...others } = toResponse(response)
      const written =
        error === undefined && response.outputs !== undefined
          ? writer.writeStreamed({ ...others, parameters: {} }, request, undefined, isFinal === true)
          : writer.writeEmpty(origin, isFinal, error)
      expect(join(written)).toEqual(bytes)
    }
  })

  test('is read by protobufjs as it was meant, whatever its names and sizes', () => {
    const type = messageType('inference.ModelStreamInferResponse')
    const name = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((text) => text !== '__proto__')
    const size = fc.oneof(fc.nat(40), fc.constantFrom(127, 128, 1024, 1025, 5000, 70_000))
    fc.assert(
      fc.property(
        fc.record({ modelName: name, modelVersion: fc.nat(), id: name }),
        fc.dictionary(name, fc.oneof(name, fc.boolean(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), {
          maxKeys: 3,
          noNullPrototype: true,
        }),
        fc.uniqueArray(fc.tuple(name, size), { maxLength: 4, selector: ([name]) => name }),
        (origin, parameters, outputs) => {
          const tensors = outputs.map(([name, size]): [string, Tensor] => [
            name,
            Tensor.fromBytes('UINT8', [1, size], new Uint8Array(size).fill(size)),
          ])
          const response = { ...origin, parameters, outputs: Object.fromEntries(tensors) }
          const bytes = join(writer.writeStreamed(response, request, undefined, false))
          const { infer_response: read } = type.toObject(type.decode(bytes), { longs: String, defaults: true })
          expect(read).toMatchObject({
            model_name: origin.modelName,
            model_version: String(origin.modelVersion),
            id: origin.id,
          })
          const values = Object.entries(parameters).map(([name, value]) => [
            name,
            typeof value === 'boolean'
              ? { bool_param: value }
              : typeof value === 'string'
                ? { string_param: value }
                : { int64_param: String(value) },
          ])
          expect(read.parameters).toEqual({
            ...Object.fromEntries(values),
            triton_final_response: { bool_param: false },
          })
          const inOrder = Object.entries(response.outputs)
          expect(read.outputs.map((output: { name: string }) => output.name)).toEqual(inOrder.map(([name]) => name))
          // As text, which is compared a thousand times faster than bytes.
          const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')
          expect(read.raw_output_contents.map(text)).toEqual(inOrder.map(([, { bytes }]) => text(bytes)))
        },
      ),
    )
  })

  test('leaves what is large where it is', () => {
    const pixels = new Uint8Array(600_000)
    const outputs = {
      A: Tensor.fromBytes('UINT8', [600_000], pixels),
      B: Tensor.fromBytes('UINT8', [1], pixels.subarray(1)),
    }
    const response = { modelName: 'm', modelVersion: 1, id: '', parameters: {}, outputs }
    const parts = writer.write(response, request, undefined)
    expect(parts[1]).toBe(pixels)
    const next = writer.write({ ...response, modelName: 'n' }, request, undefined)
    expect(parts[0]?.[2]).toBe('m'.charCodeAt(0))
    expect(next[0]?.[2]).toBe('n'.charCodeAt(0))
  })

  test('numbers with a fraction are doubles, others integers', () => {
    const type = messageType('inference.ModelInferResponse')
    const parameters = { half: 0.5, three: 3, far: 2 ** 60, least: -(2n ** 63n), none: Number.NEGATIVE_INFINITY }
    const bytes = join(writer.write({ ...toResponse({}), modelVersion: 1, parameters }, request, undefined))
    expect(type.toObject(type.decode(bytes), { longs: String }).parameters).toEqual({
      half: { double_param: 0.5 },
      three: { int64_param: '3' },
      far: { double_param: 2 ** 60 },
      least: { int64_param: String(-(2n ** 63n)) },
      none: { double_param: Number.NEGATIVE_INFINITY },
    })
  })
})
