import { defineModel } from '@triton-ts/core'
import { words } from './words.ts'

/** Asks `rank` for the best document, and tells it word by word. */
export default defineModel({
  config: {
    input: [
      { name: 'question', dataType: 'TYPE_STRING', dims: [1] },
      { name: 'documents', dataType: 'TYPE_STRING', dims: [-1] },
    ],
    output: [{ name: 'text', dataType: 'TYPE_STRING', dims: [1] }],
    modelTransactionPolicy: { decoupled: true },
  },

  async *infer({ inputs }, context) {
    const { question, documents } = inputs
    if (question === undefined || documents === undefined) return
    const { scores } = await context.infer('rank', { question, documents })
    const values = scores?.data as Float32Array
    const best = documents.strings()[values.indexOf(Math.max(...values))] ?? ''
    for (const word of words(best)) yield { text: [word] }
  },
})
