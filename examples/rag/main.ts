// Answers a question from a handbook: `npm start`, or `npm start -- "Can I bring my dog?"`

import { javascript } from '@triton-ts/backend-javascript'
import { onnx } from '@triton-ts/backend-onnx'
import { localCache, Server } from '@triton-ts/core'
import { placeModel } from '../text-embedding/place-model.ts'
import { modelRepository } from './repositories.ts'

await placeModel()
await using server = await Server.start({
  modelRepository,
  backends: [onnx(), javascript()],
  cache: localCache({ size: 1024 * 1024 }),
})

const question = process.argv[2] ?? 'How do I reset my password?'
console.log(question)
for await (const { SENTENCE } of server.inferStream('rag', { QUESTION: [[question]] })) {
  console.log(`  ${SENTENCE!.strings()[0]}`)
}
