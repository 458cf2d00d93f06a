/** A sentence, and which passage it is from. */
export interface Sentence {
  readonly text: string
  readonly passage: number
}

/** The sentences of a passage; for `flatMap`. */
export function sentencesOf(text: string, passage: number): Sentence[] {
  const segments = new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)
  return Array.from(segments, ({ segment }) => ({ text: segment.trim(), passage })).filter(({ text }) => text !== '')
}
