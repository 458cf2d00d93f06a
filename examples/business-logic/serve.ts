// A model in a file, which streams, asks a model in code.
import { javascript } from '@triton-ts/backend-javascript'
import { Server } from '@triton-ts/core'
import { rank } from './rank.ts'

await using server = await Server.start({
  modelRepository: `${import.meta.dirname}/models`,
  backends: [javascript()],
  models: { rank },
})

const documents = ['Tea is made of leaves', 'Coffee is made of roasted beans', 'Water is made of nothing else']
const inputs = { question: ['What is coffee made of?'], documents }
for await (const { text } of server.inferStream('answer', inputs)) console.log(text?.strings()[0])
