import { onnx } from '@triton-ts/backend-onnx'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { numpyPython } from '../../backend-python/src/fixtures/numpy-python.ts'
import { readCorpus, withoutPython } from './corpus.ts'
import { readKnownDifferences } from './known-differences.ts'
import { type Differences, replayPhase } from './replay.ts'

const python = await numpyPython()
if ('missing' in python) console.log(`skipped, the cases of Python models: ${python.missing}`)
const corpus = 'missing' in python ? withoutPython(readCorpus()) : readCorpus()
const pythonEnvironment = 'missing' in python ? {} : { TRITON_TS_PYTHON: python.python }
const common = readKnownDifferences()
const ofWorker = readKnownDifferences('known-differences-worker.txt')
const phases = [...new Set(corpus.cases.map(({ phase }) => phase))]

/** What ONNX models run on; nothing native is found in a directory that has none. */
const executors = [
  { executor: 'native', known: common, environment: pythonEnvironment },
  {
    executor: 'worker',
    known: new Map([...common, ...ofWorker]),
    environment: { ...pythonEnvironment, TRITON_TS_NATIVE_DIR: import.meta.dirname },
  },
]
const { executor: available, reasons } = onnx()
if (available !== 'native') console.log(`skipped, the native executor is not there: ${reasons.join('; ')}`)

test('every known difference names a case', () => {
  const ids = new Set(readCorpus().cases.map(({ id }) => id))
  expect([...common.keys(), ...ofWorker.keys()].filter((id) => !ids.has(id))).toEqual([])
})

describe.each(executors)('$executor executor', ({ executor, known, environment }) => {
  const outcomes: Differences = new Map()

  afterAll(() => {
    const same = [...outcomes.values()].filter((difference) => difference === undefined).length
    const counts = `${same} of ${outcomes.size} answers are as recorded; ${known.size} differences are known`
    console.log(`${executor} executor: ${counts}`)
  })

  describe.skipIf(executor === 'native' && available !== 'native').each(phases)('phase %s', (phase) => {
    const cases = corpus.cases.filter((entry) => entry.phase === phase)
    let differences: Differences
    beforeAll(async () => {
      differences = await replayPhase(corpus, phase, { environment })
      for (const [id, difference] of differences) outcomes.set(id, difference)
    }, 300_000)

    test.each([...new Set(cases.map(({ area }) => area))])('%s answers as recorded', (area) => {
      const ids = cases.filter((entry) => entry.area === area).map(({ id }) => id)
      const failed = ids.filter((id) => differences.get(id) !== undefined && !known.has(id))
      const healed = ids.filter((id) => differences.get(id) === undefined && known.has(id))
      expect(failed.map((id) => `${id}: ${differences.get(id)}`)).toEqual([])
      expect(healed, 'these pass now: take them out of the known differences').toEqual([])
    })
  })
})
