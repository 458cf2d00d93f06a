import { join } from 'node:path'
import { modelRepository, type TemporaryRepository } from '@triton-ts/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { testClientChecks } from '../client-checks.ts'
import { goldenRepository } from '../corpus.ts'
import { type PythonEnvironment, preparePython, runClient } from '../python-environment.ts'
import { SpawnedServer } from '../spawned-server.ts'
import { clientModels } from './client-models.ts'

const identities = ['uint8', 'uint16', 'uint32', 'uint64', 'int8', 'int16', 'int32', 'int64', 'fp16', 'fp32', 'fp64']
const models = [
  ...[...identities, 'bool', 'bytes'].map((type) => `identity_${type}`),
  ...['add_sub_int32', 'classify5', 'ver_all', 'seq_oldest', 'slow', 'narrow', 'repeat'],
]
const checks = [
  'health',
  'server_metadata',
  'model_metadata',
  'model_config',
  'infer',
  'data_types',
  'strings',
  'typed_contents',
  'classification',
  'async_infer',
  'compression',
  'large_tensor',
  'errors',
  'statistics',
  'repository',
  'stream',
  'stream_errors',
  'strict_stream_errors',
  'decoupled',
  'decoupled_without_end',
  'sequences',
  'client_timeout',
  'cancellation',
  'queue_timeout',
  'aio_client',
  'aio_cancellation',
  'system_shared_memory',
  'trace_settings',
  'restricted_headers',
  'log_settings',
  'reflection',
  'schema_is_wire_compatible',
  'unknown_method',
]

describe('tritonclient.grpc', () => {
  let environment: PythonEnvironment
  let repository: TemporaryRepository | undefined
  let server: SpawnedServer | undefined
  let lines: string[] = []

  beforeAll(async () => {
    environment = await preparePython()
    if ('missing' in environment) return console.warn(`tritonclient.grpc tests skipped: ${environment.missing}`)
    repository = await modelRepository(clientModels)
    server = await SpawnedServer.start({
      modelRepositories: [join(goldenRepository, 'models'), repository.path],
      flags: [
        '--model-control-mode=explicit',
        '--allow-client-shm=true',
        '--grpc-restricted-protocol=logging:admin-key=secret',
        ...models.map((name) => `--load-model=${name}`),
      ],
      until: 'ready',
    })
    const model = join(goldenRepository, 'models/identity_fp32/1/model.onnx')
    const printed = await runClient(environment.python, 'grpc_client.py', [`127.0.0.1:${server.grpcPort}`, model])
    lines = printed.trim().split('\n')
  }, 600_000)
  afterAll(async () => {
    await server?.stop()
    await repository?.[Symbol.asyncDispose]()
  })

  testClientChecks(checks, () => ({ environment, lines }))
})
