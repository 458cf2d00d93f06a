import { readFileSync } from 'node:fs'

/** Case id to the reason why its answer is expected to differ. */
export type KnownDifferences = Map<string, string>

/**
 * Reads `known-differences.txt`: a line `# reason`, then the ids of the cases that it explains, one a line.
 * Throws when an id has no reason, or comes twice.
 */
export function parseKnownDifferences(text: string): KnownDifferences {
  const known: KnownDifferences = new Map()
  let reason: string | undefined
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    if (line === '') continue
    if (line.startsWith('#')) reason = line.slice(1).trim()
    else if (reason === undefined || reason === '') throw new Error(`known difference '${line}' has no reason`)
    else if (known.has(line)) throw new Error(`known difference '${line}' is listed twice`)
    else known.set(line, reason)
  }
  return known
}

/** The differences of a file beside `known-differences.txt`, which has those that are always there. */
export const readKnownDifferences = (file = 'known-differences.txt'): KnownDifferences =>
  parseKnownDifferences(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'))
