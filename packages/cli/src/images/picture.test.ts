import jpeg from 'jpeg-js'
import { PNG } from 'pngjs'
import { describe, expect, test } from 'vitest'
import { decodePicture, readPicture, toGrey } from './picture.ts'

const red = [255, 0, 0, 255]
const blue = [0, 0, 255, 0]

function png(colorType: 0 | 2 | 4 | 6): Buffer {
  const image = new PNG({ width: 2, height: 1 })
  image.data.set([...red, ...blue])
  return PNG.sync.write(image, { colorType })
}

describe('PNG', () => {
  test('transparency is dropped, the colour behind it stays', () => {
    expect(decodePicture(png(6))).toEqual({
      width: 2,
      height: 1,
      channels: 3,
      data: new Uint8Array([255, 0, 0, 0, 0, 255]),
    })
  })

  test('without transparency', () => {
    expect([...decodePicture(png(2)).data.subarray(0, 3)]).toEqual([255, 0, 0])
  })

  test('grey becomes RGB with three equal channels', () => {
    const { channels, data } = decodePicture(png(0))
    expect(channels).toBe(3)
    expect(new Set(data.subarray(0, 3)).size).toBe(1)
  })
})

test('JPEG', () => {
  const data = Buffer.from(Array.from({ length: 64 }, () => [200, 100, 50, 255]).flat())
  const picture = decodePicture(jpeg.encode({ width: 8, height: 8, data }, 100).data)
  expect(picture).toMatchObject({ width: 8, height: 8, channels: 3 })
  expect(picture.data).toHaveLength(8 * 8 * 3)
  for (const [i, value] of [200, 100, 50].entries()) expect(Math.abs(picture.data[i]! - value)).toBeLessThanOrEqual(3)
})

describe('what is no picture', () => {
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a byte', Buffer.alloc(1)],
    ['text', Buffer.from('hello, world')],
  ])('%s', (_, bytes) => {
    expect(() => decodePicture(bytes)).toThrow('it is neither PNG nor JPEG')
  })

  test.each([
    ['half a PNG', png(6).subarray(0, 40)],
    ['half a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00])],
  ])('%s', (_, bytes) => {
    expect(() => decodePicture(bytes)).toThrow()
  })

  test('the error names the file', async () => {
    await expect(readPicture(import.meta.filename)).rejects.toThrow(
      `cannot read picture '${import.meta.filename}': it is neither PNG nor JPEG`,
    )
  })
})

test('grey is weighed as eyes see it', () => {
  const picture = {
    width: 4,
    height: 1,
    channels: 3,
    data: new Uint8Array([255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9]),
  } as const
  expect(toGrey(picture)).toEqual({ width: 4, height: 1, channels: 1, data: new Uint8Array([76, 150, 29, 9]) })
})
