import { defineModel } from '@triton-ts/core'

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/\p{Letter}+/gu))

/** How many words each document shares with the question. A model in code, where an application has a real one. */
export const rank = defineModel({
  config: {
    input: [
      { name: 'question', dataType: 'TYPE_STRING', dims: [1] },
      { name: 'documents', dataType: 'TYPE_STRING', dims: [-1] },
    ],
    output: [{ name: 'scores', dataType: 'TYPE_FP32', dims: [-1] }],
  },

  infer({ inputs }) {
    const wanted = wordsOf(inputs.question?.strings()[0] ?? '')
    const scores = inputs.documents
      ?.strings()
      .map((text) => [...wordsOf(text)].filter((word) => wanted.has(word)).length)
    return { scores: scores ?? [] }
  },
})
