import { describe, expect, test } from 'vitest'
import { imageModel } from './image-model.ts'

const info = {
  name: 'net',
  inputs: [{ name: 'image', datatype: 'FP32', shape: [-1, 3, 224, 192] }],
  outputs: [{ name: 'logits', datatype: 'FP32', shape: [-1, 1000] }],
}
const settings = (max_batch_size: number, format = 'FORMAT_NONE') => ({ max_batch_size, input: [{ format }] })
const withInput = (shape: number[], datatype = 'FP32') => ({ ...info, inputs: [{ name: 'image', datatype, shape }] })

describe('image models', () => {
  test('batching, channels first', () => {
    expect(imageModel(info, settings(8, 'FORMAT_NCHW'))).toEqual({
      input: 'image',
      output: 'logits',
      maxBatchSize: 8,
      format: { datatype: 'FP32', layout: 'NCHW', channels: 3, height: 224, width: 192 },
    })
  })

  test('without batching, channels last, no format in the configuration', () => {
    const { format } = imageModel(withInput([224, 192, 1], 'UINT8'), settings(0))
    expect(format).toEqual({ datatype: 'UINT8', layout: 'NHWC', channels: 1, height: 224, width: 192 })
  })

  test('the format of the configuration counts more than the shape', () => {
    expect(imageModel(withInput([-1, 3, 3, 3]), settings(8, 'FORMAT_NHWC')).format.layout).toBe('NHWC')
  })

  test('an output vector may have dimensions of 1 around it', () => {
    imageModel({ ...info, outputs: [{ name: 'o', datatype: 'FP32', shape: [-1, 1, 1000, 1] }] }, settings(8))
  })
})

describe('other models', () => {
  test.each([
    ['expecting 1 input, got 2', { ...info, inputs: [...info.inputs, ...info.inputs] }],
    ['expecting 1 input, got 0', { ...info, inputs: [] }],
    ['expecting 1 output, got 0', { ...info, outputs: [] }],
    [
      "expecting output datatype to be FP32, model 'net' output type is BYTES",
      { ...info, outputs: [{ name: 'o', datatype: 'BYTES', shape: [-1, 1] }] },
    ],
    [
      'expecting model output to be a vector',
      { ...info, outputs: [{ name: 'o', datatype: 'FP32', shape: [-1, 2, 3] }] },
    ],
    ["expecting input to have 4 dimensions, model 'net' input has 2", withInput([-1, 16])],
    ['pictures cannot be turned into input type BYTES', withInput([-1, 3, 2, 2], 'BYTES')],
    ["expecting 1 or 3 channels, model 'net' input has shape [4,2,2]", withInput([-1, 4, 2, 2])],
    ["expecting a fixed height and width, model 'net' input has shape [3,-1,-1]", withInput([-1, 3, -1, -1])],
  ])('%s', (text, model) => {
    expect(() => imageModel(model, settings(8))).toThrow(text)
  })
})
