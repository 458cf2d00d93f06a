// Which question is like mine? `npm start`, or `npm start -- "where can I get a coffee?"`
import { javascript } from '@triton-ts/backend-javascript'
import { onnx } from '@triton-ts/backend-onnx'
import { Server } from '@triton-ts/core'
import { models, placeModel } from './place-model.ts'

await placeModel()
await using server = await Server.start({ modelRepository: models, backends: [onnx(), javascript()] })

const question = process.argv[2] ?? 'how do I reset my password'
const known = [
  'I forgot my login credentials',
  'when do you open in the morning',
  'can I bring my dog',
  'where is the next café',
]
const { EMBEDDING } = await server.infer('text_embedding', { TEXT: [question, ...known].map((text) => [text]) })
const vectors = EMBEDDING!.data as Float32Array
const vector = (text: number) => vectors.subarray(text * 384, (text + 1) * 384)
const likeness = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

console.log(question)
for (const [i, text] of known.entries()) {
  console.log(`  ${likeness(vector(0), vector(i + 1)).toFixed(2)}  ${text}`)
}
