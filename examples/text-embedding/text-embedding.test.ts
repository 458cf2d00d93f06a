import { spawnSync } from 'node:child_process'
import { javascript } from '@triton-ts/backend-javascript'
import { onnx } from '@triton-ts/backend-onnx'
import { Server } from '@triton-ts/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { models, placeModel } from './place-model.ts'

const missing = await placeModel().then(
  () => undefined,
  (error: Error) => error.message,
)

describe.skipIf(missing !== undefined)(`text embedding${missing === undefined ? '' : ` (${missing})`}`, () => {
  let server: Server
  beforeAll(async () => {
    server = await Server.start({ modelRepository: models, backends: [onnx(), javascript()] })
  })
  afterAll(() => server.stop())

  async function embed(...texts: string[]): Promise<Float32Array[]> {
    const { EMBEDDING } = await server.infer('text_embedding', { TEXT: texts.map((text) => [text]) })
    expect(EMBEDDING!.shape).toEqual([texts.length, 384])
    const vectors = EMBEDDING!.data as Float32Array
    return texts.map((_, i) => vectors.subarray(i * 384, (i + 1) * 384))
  }

  const product = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

  test('texts of the same meaning are near each other, others are not', async () => {
    const [question, same, ...others] = await embed(
      'how do I reset my password',
      'I forgot my login credentials',
      'when do you open in the morning',
      'can I bring my dog',
      'the quick brown fox jumps over the lazy dog',
    )
    expect(product(question!, same!)).toBeGreaterThan(0.6)
    for (const other of others) expect(Math.abs(product(question!, other))).toBeLessThan(0.2)
  })

  test('vectors have length 1, and do not depend on the batch', async () => {
    const [alone] = await embed('good morning')
    expect(Math.hypot(...alone!)).toBeCloseTo(1, 5)
    const [, beside] = await embed('a text that is longer, so that the other one is filled up', 'good morning')
    expect(product(alone!, beside!)).toBeGreaterThan(0.99)
  })

  test('texts without words and with too many', async () => {
    const vectors = await embed('', 'word '.repeat(2000), '重要なお知らせ 🙂')
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
  })

  test('the tokens are those that the model has learned', async () => {
    const { input_ids } = await server.infer('tokenizer', { TEXT: [['Hello, world!']] })
    expect([...(input_ids!.data as BigInt64Array)]).toEqual([101n, 7592n, 1010n, 2088n, 999n, 102n])
  })

  test('main.ts tells it', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'main.ts'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^how do I reset my password\n {2}0\.[67]\d {2}I forgot my login credentials\n/)
    expect(stdout.match(/^ {2}-?0\.[01]\d {2}/gm)).toHaveLength(3)
  })
})
