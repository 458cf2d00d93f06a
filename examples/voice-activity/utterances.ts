/** Somebody speaks, from one window to another, the second one excluded. */
export interface Utterance {
  readonly begin: number
  readonly end: number
}

/** Speech begins at the higher probability and ends below the lower one, so that one doubtful window changes nothing. */
const begins = 0.5
const ends = 0.35

/** Windows of silence that end an utterance: shorter pauses belong to it. */
const pause = 8

/** Finds the utterances in a stream of probabilities, each as soon as it is over. */
export async function* utterances(probabilities: AsyncIterable<number>): AsyncGenerator<Utterance> {
  let begin: number | undefined
  let end = 0
  let window = 0
  for await (const probability of probabilities) {
    if (begin === undefined && probability >= begins) begin = window
    window++
    if (begin === undefined) continue
    if (probability >= ends) end = window
    else if (window - end >= pause) {
      yield { begin, end }
      begin = undefined
    }
  }
  if (begin !== undefined) yield { begin, end }
}
