import { describe, expect, test } from 'vitest'
import { type ImageFormat, imageTensor } from './image-tensor.ts'

const picture = { width: 2, height: 1, channels: 3, data: new Uint8Array([255, 0, 102, 51, 204, 153]) } as const
const format: ImageFormat = { datatype: 'FP32', layout: 'NCHW', channels: 3, height: 1, width: 2 }

test('channels first', () => {
  const { datatype, shape, data } = imageTensor([picture], format)
  expect({ datatype, shape, data }).toEqual({
    datatype: 'FP32',
    shape: [1, 3, 1, 2],
    data: new Float32Array([255, 51, 0, 204, 102, 153]),
  })
})

test('channels last', () => {
  const { shape, data } = imageTensor([picture], { ...format, layout: 'NHWC', datatype: 'UINT8' })
  expect({ shape, data }).toEqual({ shape: [1, 1, 2, 3], data: picture.data })
})

test('a batch is one picture after the other', () => {
  const { shape, data } = imageTensor([picture, picture], { ...format, datatype: 'INT32' })
  expect(shape).toEqual([2, 3, 1, 2])
  expect(data).toEqual(new Int32Array([255, 51, 0, 204, 102, 153, 255, 51, 0, 204, 102, 153]))
})

describe('scaling', () => {
  test('INCEPTION', () => {
    expect(imageTensor([picture], format, 'INCEPTION').data).toEqual(
      new Float32Array([1, 51 / 127.5 - 1, -1, 204 / 127.5 - 1, 102 / 127.5 - 1, 153 / 127.5 - 1]),
    )
  })

  test('VGG', () => {
    expect(imageTensor([picture], format, 'VGG').data).toEqual(
      new Float32Array([255 - 123, 51 - 123, -117, 204 - 117, 102 - 104, 153 - 104]),
    )
  })

  test('VGG of grey', () => {
    const { shape, data } = imageTensor([picture], { ...format, channels: 1 }, 'VGG')
    expect({ shape, data }).toEqual({ shape: [1, 1, 1, 2], data: new Float32Array([88 - 128, 152 - 128]) })
  })
})
