// Says when somebody speaks, while the recording streams in: `npm start`, or `npm start -- my.wav` (16 kHz, mono, 16 bit).
import { createReadStream } from 'node:fs'
import { onnx } from '@triton-ts/backend-onnx'
import { Server } from '@triton-ts/core'
import { listen } from './listen.ts'
import { models, placeModel } from './place-model.ts'
import { sampleRate, samples } from './samples.ts'
import { utterances } from './utterances.ts'
import { windowSize, windows } from './windows.ts'

await placeModel()
await using server = await Server.start({ modelRepository: models, backends: [onnx()] })

const file = process.argv[2] ?? `${import.meta.dirname}/speech.wav`
const probabilities = listen(server, file, windows(samples(createReadStream(file))))
const seconds = (window: number) => ((window * windowSize) / sampleRate).toFixed(1)
for await (const { begin, end } of utterances(probabilities)) {
  console.log(`somebody speaks from ${seconds(begin)} s to ${seconds(end)} s`)
}
