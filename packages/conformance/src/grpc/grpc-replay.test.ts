import { beforeAll, describe, expect, test } from 'vitest'
import { numpyPython } from '../../../backend-python/src/fixtures/numpy-python.ts'
import { withoutPythonModels } from '../corpus.ts'
import { readKnownDifferences } from '../known-differences.ts'
import type { Differences } from '../replay.ts'
import { type GrpcCase, readGrpcCorpus } from './grpc-corpus.ts'
import { replayGrpcPhase } from './replay-grpc.ts'

const modelsOf = ({ request, requests = [] }: GrpcCase): string[] =>
  [request?.model_name, request?.name, ...requests.map(({ model_name }) => model_name)].map((name) => name ?? '')

const python = await numpyPython()
if ('missing' in python) console.log(`skipped, the gRPC cases of Python models: ${python.missing}`)
const all = readGrpcCorpus()
const corpus = 'missing' in python ? withoutPythonModels(all, modelsOf) : all
const environment: Record<string, string> = 'missing' in python ? {} : { TRITON_TS_PYTHON: python.python }
const known = readKnownDifferences('known-differences-grpc.txt')
const phases = [...new Set(corpus.cases.map(({ phase }) => phase))]

test('every known difference names a case', () => {
  const ids = new Set(all.cases.map(({ id }) => id))
  expect([...known.keys()].filter((id) => !ids.has(id))).toEqual([])
})

describe.each(phases)('phase %s', (phase) => {
  const cases = corpus.cases.filter((entry) => entry.phase === phase)
  let differences: Differences
  beforeAll(async () => {
    differences = await replayGrpcPhase(corpus, phase, { environment })
  }, 300_000)

  test.each([...new Set(cases.map(({ area }) => area))])('%s answers as recorded', (area) => {
    const ids = cases.filter((entry) => entry.area === area).map(({ id }) => id)
    const failed = ids.filter((id) => differences.get(id) !== undefined && !known.has(id))
    const healed = ids.filter((id) => differences.get(id) === undefined && known.has(id))
    expect(failed.map((id) => `${id}: ${differences.get(id)}`)).toEqual([])
    expect(healed, 'these pass now: take them out of the known differences').toEqual([])
  })
})
