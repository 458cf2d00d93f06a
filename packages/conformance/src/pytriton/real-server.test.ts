import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nativeDirectory } from '@triton-ts/backend-native'
import { expect } from 'vitest'
import { runtimeFile } from '../../../backend-onnx/src/native/runtime-file.ts'
import { readCorpus, withoutPython } from '../corpus.ts'
import { parseKnownDifferences } from '../known-differences.ts'
import { replayPhase } from '../replay.ts'
import { pythonTest } from './python-rig.ts'
import { RealServer } from './real-server.ts'

const test = pythonTest()
const known = parseKnownDifferences(readFileSync(new URL('./real-server-differences.txt', import.meta.url), 'utf8'))
/** Those in which models of ONNX Runtime are loaded and run. */
const phases = ['default', 'explicit', 'cache', 'default_mbs', 'default_mbs0']
/** The real server runs the Python models without us. */
const corpus = withoutPython(readCorpus())

test.for(phases)('our ONNX Runtime backend in the real tritonserver: phase %s', async (phase, { pytriton, skip }) => {
  const ours = ourOnnxRuntime()
  if ('missing' in ours) return skip(ours.missing)
  await using real = await RealServer.prepare(pytriton, { onnxruntime: ours.directory }, ours.environment)
  const differences = await replayPhase(corpus, phase, real.choice)
  expect(differences.size).toBeGreaterThan(0)
  const failed = [...differences].filter(([id, difference]) => difference !== undefined && !known.has(id))
  expect(failed).toEqual([])
  const healed = [...differences].filter(([id, difference]) => difference === undefined && known.has(id))
  expect(healed, 'these pass now: take them out of real-server-differences.txt').toEqual([])
})

/** Our library of the backend, and what the server's environment needs for it. */
function ourOnnxRuntime(): { directory: string; environment: Record<string, string> } | { missing: string } {
  const host = nativeDirectory()
  const directory = 'reasons' in host ? '' : join(host.directory, 'backends/onnxruntime')
  if (!existsSync(directory)) return { missing: 'libtriton_onnxruntime.so is not built' }
  const runtime = runtimeFile()
  if ('reasons' in runtime) return { missing: runtime.reasons.join('; ') }
  const { path } = runtime
  return { directory, environment: path === undefined ? {} : { TRITON_TS_ONNXRUNTIME: path } }
}
