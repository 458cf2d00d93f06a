import { spawnSync } from 'node:child_process'
import { javascript } from '@triton-ts/backend-javascript'
import { onnx } from '@triton-ts/backend-onnx'
import { readPicture } from '@triton-ts/cli'
import { Server, tensor } from '@triton-ts/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { models, placeModels } from './place-models.ts'

const sentences = ['Triton in TypeScript 2026', 'The quick brown fox jumps', 'over the lazy dog.']

let server: Server
beforeAll(async () => {
  await placeModels()
  server = await Server.start({ modelRepository: models, backends: [onnx(), javascript()] })
})
afterAll(() => server.stop())

async function sign() {
  const { width, height, data } = await readPicture(`${import.meta.dirname}/sign.png`)
  return { IMAGE: tensor('UINT8', [height, width, 3], data) }
}

test('reads a picture exactly, and says where and how surely', async () => {
  const { TEXT, SCORE, BOX } = await server.infer('ocr', await sign())
  expect(TEXT!.strings()).toEqual(sentences)
  for (const score of SCORE!.data as Float32Array) expect(score).toBeGreaterThan(0.9)
  expect(BOX!.shape).toEqual([3, 4])
  const [left, top, width, height] = BOX!.data as Float32Array
  // The capitals of the first line are from 56 to 592 and from 68 to 96.
  for (const [found, drawn] of [
    [left!, 56],
    [left! + width!, 592],
    [top!, 66],
    [top! + height!, 104],
  ]) {
    expect(Math.abs(found! - drawn!)).toBeLessThan(12)
  }
})

test('all lines of a picture are one batch', async () => {
  const before = server.statistics('recognizer')[0]!
  await server.infer('ocr', await sign())
  const after = server.statistics('recognizer')[0]!
  expect(after.inferenceCount - before.inferenceCount).toBe(3)
  expect(after.executionCount - before.executionCount).toBe(1)
})

test('more lines than one batch has', async () => {
  const { width, height, data } = await readPicture(`${import.meta.dirname}/sign.png`)
  const tall = Buffer.concat(new Array(6).fill(data))
  const { TEXT } = await server.infer('ocr', { IMAGE: tensor('UINT8', [6 * height, width, 3], tall) })
  expect(TEXT!.strings()).toEqual(new Array(6).fill(sentences).flat())
})

test.each([[100], [255]])('nothing is written on a sheet of grey %i', async (grey) => {
  const sheet = tensor('UINT8', [64, 96, 3], new Uint8Array(64 * 96 * 3).fill(grey))
  const { TEXT, SCORE, BOX } = await server.infer('ocr', { IMAGE: sheet })
  expect([TEXT!.shape, SCORE!.shape, BOX!.shape]).toEqual([[0], [0], [0, 4]])
})

test('an empty picture is an error', async () => {
  const answer = server.infer('ocr', { IMAGE: tensor('UINT8', [0, 96, 3], new Uint8Array(0)) })
  await expect(answer).rejects.toMatchObject({ code: 'INVALID_ARG', message: 'the picture is empty' })
})

test('a caller who gives up hears so at once', async () => {
  const answer = server.infer('ocr', await sign(), { signal: AbortSignal.abort() })
  await expect(answer).rejects.toMatchObject({ code: 'CANCELLED' })
})

test('main.ts reads it', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'main.ts'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  })
  expect({ lines: stdout.trim().split('\n'), stderr }).toEqual({ lines: sentences, stderr: '' })
})
