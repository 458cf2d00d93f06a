import { spawnSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { onnx } from '@triton-ts/backend-onnx'
import { Server } from '@triton-ts/core'
import { beforeAll, expect, test } from 'vitest'
import { collect } from './collect.ts'
import { listen } from './listen.ts'
import { models, placeModel } from './place-model.ts'
import { samples } from './samples.ts'
import { type Utterance, utterances } from './utterances.ts'
import { windows } from './windows.ts'

/** `Hello.` from 0.80 s to 1.31 s, `One server, many models.` from 2.31 s to 4.20 s; a window is 0.032 s. */
const spoken: Utterance[] = [
  { begin: 26, end: 41 },
  { begin: 72, end: 133 },
]

const recording = () => windows(samples(createReadStream(`${import.meta.dirname}/speech.wav`)))
const start = () => Server.start({ modelRepository: models, backends: [onnx()] })

beforeAll(placeModel)

test('hears when somebody speaks', async () => {
  await using server = await start()
  const heard = await collect(utterances(listen(server, 'call', recording())))
  expectUtterances(heard)
})

test('hears streams at the same time, each with its own state', async () => {
  await using server = await start()
  const alone = await collect(listen(server, 'alone', recording()))
  const together = await Promise.all(
    ['anna', 'ben', 'carl'].map((stream) => collect(listen(server, stream, recording()))),
  )
  for (const probabilities of together) expect(probabilities).toEqual(alone)
})

test('a reader that has heard enough ends the sequence', async () => {
  await using server = await start()
  for await (const { begin } of utterances(listen(server, 'call', recording()))) {
    expect(begin).toBeCloseTo(spoken[0]!.begin, -1)
    break
  }
  const next = { input: new Float32Array(576), sr: BigInt64Array.of(16_000n) }
  await expect(server.infer('silero_vad', next, { correlationId: 'call' })).rejects.toThrow(
    'must specify the START flag on the first request of the sequence',
  )
})

test('main.ts tells it', () => {
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', 'main.ts'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  })
  expect(
    stdout.match(/somebody speaks from 0\.\d s to 1\.\d s\nsomebody speaks from 2\.\d s to 4\.\d s\n/),
  ).toBeTruthy()
})

/** Processors round differently: a window more or less at either side is no error. */
function expectUtterances(heard: readonly Utterance[]): void {
  expect(heard).toHaveLength(spoken.length)
  for (const [i, { begin, end }] of heard.entries()) {
    expect(Math.abs(begin - spoken[i]!.begin)).toBeLessThanOrEqual(2)
    expect(Math.abs(end - spoken[i]!.end)).toBeLessThanOrEqual(2)
  }
}
