import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCorpus } from './corpus.ts'
import { readKnownDifferences } from './known-differences.ts'
import { type Differences, replayPhase } from './replay.ts'

const corpus = readCorpus()
const known = readKnownDifferences()
const outcomes: Differences = new Map()
const phases = [...new Set(corpus.cases.map(({ phase }) => phase))]

afterAll(() => {
  const same = [...outcomes.values()].filter((difference) => difference === undefined).length
  console.log(`${same} of ${outcomes.size} answers are as recorded; ${known.size} differences are known`)
})

test('every known difference names a case', () => {
  const ids = new Set(corpus.cases.map(({ id }) => id))
  expect([...known.keys()].filter((id) => !ids.has(id))).toEqual([])
})

describe.each(phases)('phase %s', (phase) => {
  const cases = corpus.cases.filter((entry) => entry.phase === phase)
  let differences: Differences
  beforeAll(async () => {
    differences = await replayPhase(corpus, phase)
    for (const [id, difference] of differences) outcomes.set(id, difference)
  }, 300_000)

  test.each([...new Set(cases.map(({ area }) => area))])('%s answers as recorded', (area) => {
    const ids = cases.filter((entry) => entry.area === area).map(({ id }) => id)
    const failed = ids.filter((id) => differences.get(id) !== undefined && !known.has(id))
    const healed = ids.filter((id) => differences.get(id) === undefined && known.has(id))
    expect(failed.map((id) => `${id}: ${differences.get(id)}`)).toEqual([])
    expect(healed, 'these pass now: take them out of known-differences.txt').toEqual([])
  })
})
