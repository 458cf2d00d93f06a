import { type CodeContext, defineModel, type ModelRequest } from '@triton-ts/core'
import { type Sentence, sentencesOf } from './sentences.ts'

/** Sentences of an answer, at most. */
const longestAnswer = 2

/** What is less like the question does not answer it. */
const leastScore = 0.3

/** Sentences that are considered: with the question they are one batch of `text_embedding`. */
const mostSentences = 31

/**
 * Writes nothing of its own: of the passage with the sentence that is most like the question it quotes the best ones,
 * in the order in which they stand there.
 */
export default defineModel({
  async *infer({ inputs: { QUESTION, PASSAGE } }: ModelRequest, context: CodeContext) {
    const sentences = PASSAGE!.strings().flatMap(sentencesOf).slice(0, mostSentences)
    const scores = await likeness(QUESTION!.strings()[0]!, sentences, context)
    const ranked = sentences
      .map((sentence, position) => ({ ...sentence, position, score: scores[position]! }))
      .filter(({ score }) => score >= leastScore)
      .sort((a, b) => b.score - a.score)
    const answer = ranked
      .filter(({ passage }) => passage === ranked[0]!.passage)
      .slice(0, longestAnswer)
      .sort((a, b) => a.position - b.position)
    if (answer.length === 0) yield { SENTENCE: [['The handbook says nothing about that.']] }
    for (const { text } of answer) yield { SENTENCE: [[text]] }
  },
})

/** How much each sentence is like the question, 0 to 1. */
async function likeness(question: string, sentences: readonly Sentence[], context: CodeContext): Promise<number[]> {
  const texts = [question, ...sentences.map(({ text }) => text)]
  const { EMBEDDING } = await context.infer('text_embedding', { TEXT: texts.map((text) => [text]) })
  const [vectors, size] = [EMBEDDING!.data as Float32Array, EMBEDDING!.shape[1]!]
  return sentences.map((_, i) => {
    let product = 0
    for (let k = 0; k < size; k++) product += vectors[k]! * vectors[(i + 1) * size + k]!
    return product
  })
}
