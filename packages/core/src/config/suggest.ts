/** `; did you mean 'max_batch_size'?` with the candidate that the text most probably stands for, or `''`. */
export function suggest(text: string, candidates: Iterable<string>): string {
  const best = text.length <= 64 ? closest(text, candidates) : undefined
  return best === undefined ? '' : `; did you mean '${best}'?`
}

function closest(text: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(text)
  let best: string | undefined
  let least = Math.floor(wanted.length / 3) + 1
  for (const candidate of candidates) {
    const other = plain(candidate)
    const prefixed = wanted.length > 1 && candidate.toLowerCase().endsWith(`_${text.toLowerCase()}`)
    const distance = other === wanted ? 0 : prefixed ? 0.5 : editDistance(wanted, other)
    if (distance < least) {
      best = candidate
      least = distance
    }
  }
  return best
}

const plain = (text: string) => text.toLowerCase().replaceAll('_', '')

/** Levenshtein's distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
