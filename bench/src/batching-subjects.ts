import { type Tensor, tensor } from '@triton-ts/core'
import { convolutionModel, mlpModel } from './models.ts'
import { sileroModel, stateSize, windowSize } from './silero.ts'

/** A model, and the ways to batch it that are compared. The first one is without batches. */
export interface Subject {
  readonly name: string
  readonly model: Uint8Array
  /** Inputs and outputs. */
  readonly config: string
  readonly batching: Readonly<Record<string, string>>
  /** Each caller is a sequence. */
  readonly isSequence: boolean
  inputs(): Record<string, Tensor>
}

const width = 1024
const side = 64

const floats = (...shape: number[]): Tensor =>
  tensor('FP32', shape, new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(0.5))

/** @param largest batch. */
export async function subjects(largest: number): Promise<Subject[]> {
  const dynamic = {
    'max_batch_size: 1': 'max_batch_size: 1',
    'dynamic_batching {}': `max_batch_size: ${largest} dynamic_batching {}`,
    'delay of 500 µs': `max_batch_size: ${largest} dynamic_batching { max_queue_delay_microseconds: 500 }`,
  }
  const silero = await sileroModel()
  return [
    {
      name: 'mlp',
      model: mlpModel(width),
      config: `input { name: "INPUT0" data_type: TYPE_FP32 dims: ${width} }
        output { name: "OUTPUT0" data_type: TYPE_FP32 dims: ${width} }`,
      batching: dynamic,
      isSequence: false,
      inputs: () => ({ INPUT0: floats(1, width) }),
    },
    {
      name: 'silero-vad',
      model: silero,
      config: `input { name: "input" data_type: TYPE_FP32 dims: ${windowSize} }
        input { name: "past" data_type: TYPE_FP32 dims: [ 2, ${stateSize / 2} ] }
        output { name: "output" data_type: TYPE_FP32 dims: 1 }
        output { name: "now" data_type: TYPE_FP32 dims: [ 2, ${stateSize / 2} ] }`,
      batching: dynamic,
      isSequence: false,
      inputs: () => ({ input: floats(1, windowSize), past: floats(1, 2, stateSize / 2) }),
    },
    {
      name: 'silero-vad-sequences',
      model: silero,
      config: `input { name: "input" data_type: TYPE_FP32 dims: ${windowSize} }
        output { name: "output" data_type: TYPE_FP32 dims: 1 }`,
      batching: {
        'max_batch_size: 1': sequences(1, `oldest { max_candidate_sequences: ${largest} }`),
        oldest: sequences(largest, `oldest { max_candidate_sequences: ${largest} }`),
        direct: sequences(largest, 'direct { }'),
      },
      isSequence: true,
      inputs: () => ({ input: floats(1, windowSize) }),
    },
    {
      name: 'convolutions',
      model: convolutionModel(6, 32),
      config: `input { name: "INPUT0" data_type: TYPE_FP32 dims: [ 3, ${side}, ${side} ] }
        output { name: "OUTPUT0" data_type: TYPE_FP32 dims: [ 32, 1, 1 ] }`,
      batching: dynamic,
      isSequence: false,
      inputs: () => ({ INPUT0: floats(1, 3, side, side) }),
    },
  ]
}

const sequences = (maxBatchSize: number, strategy: string): string => `max_batch_size: ${maxBatchSize}
  sequence_batching { ${strategy}
    state { input_name: "past" output_name: "now" data_type: TYPE_FP32 dims: [ 2, ${stateSize / 2} ]
      initial_state { name: "silence" data_type: TYPE_FP32 dims: [ 2, ${stateSize / 2} ] zero_data: true } } }`
