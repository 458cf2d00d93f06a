import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { testClientChecks } from './client-checks.ts'
import { goldenRepository } from './corpus.ts'
import { type PythonEnvironment, preparePython, runClient } from './python-environment.ts'
import { SpawnedServer } from './spawned-server.ts'

const identities = ['uint8', 'uint16', 'uint32', 'uint64', 'int8', 'int16', 'int32', 'int64', 'fp16', 'fp32', 'fp64']
const models = [
  ...[...identities, 'bool', 'bytes'].map((type) => `identity_${type}`),
  ...['add_sub_int32', 'add_sub_fp32', 'classify5', 'ver_all', 'seq_direct', 'seq_oldest'],
]
const checks = [
  'health',
  'server_metadata',
  'model_metadata',
  'model_config',
  'infer_json',
  'infer_binary',
  'infer_mixed',
  'infer_one_output',
  'infer_version',
  'data_types',
  'strings',
  'arbitrary_bytes',
  'empty_tensor',
  'classification',
  'async_infer',
  'async_error',
  'compression',
  'large_tensor',
  'offline_body',
  'errors',
  'statistics',
  'repository_index',
  'load_and_unload',
  'load_with_config',
  'load_with_files',
  'unload_with_steps',
  'load_errors',
  'sequences',
  'interleaved_sequences',
  'many_sequences',
  'sequence_errors',
  'update_instances',
  'generate',
  'generate_stream',
  'generate_errors',
]

describe('tritonclient.http', () => {
  let environment: PythonEnvironment
  let server: SpawnedServer | undefined
  let lines: string[] = []

  beforeAll(async () => {
    environment = await preparePython()
    if ('missing' in environment) return console.warn(`tritonclient tests skipped: ${environment.missing}`)
    server = await SpawnedServer.start({
      modelRepositories: [join(goldenRepository, 'models'), join(goldenRepository, 'broken')],
      flags: ['--model-control-mode=explicit', ...models.map((name) => `--load-model=${name}`)],
      until: 'ready',
    })
    const model = join(goldenRepository, 'models/identity_fp32/1/model.onnx')
    const printed = await runClient(environment.python, 'http_client.py', [`127.0.0.1:${server.httpPort}`, model])
    lines = printed.trim().split('\n')
  }, 600_000)
  afterAll(() => server?.stop())

  testClientChecks(checks, () => ({ environment, lines }))
})
