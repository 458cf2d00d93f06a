import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { testClientChecks } from './client-checks.ts'
import { goldenRepository } from './corpus.ts'
import { type PythonEnvironment, preparePython, runClient } from './python-environment.ts'
import { SpawnedServer } from './spawned-server.ts'

const checks = ['inputs_and_outputs', 'one_side_only', 'strings', 'status', 'mistakes', 'memory_of_gpus']

describe.skipIf(process.platform !== 'linux')('shared memory of tritonclient', () => {
  let environment: PythonEnvironment
  let server: SpawnedServer | undefined
  let lines: string[] = []

  beforeAll(async () => {
    environment = await preparePython()
    if ('missing' in environment) return console.warn(`shared memory of tritonclient skipped: ${environment.missing}`)
    server = await SpawnedServer.start({
      modelRepositories: [join(goldenRepository, 'models')],
      flags: ['--model-control-mode=explicit', '--load-model=add_sub_int32', '--load-model=identity_bytes'],
      until: 'ready',
    })
    const printed = await runClient(
      environment.python,
      'shared_memory_client.py',
      [server.httpPort, server.grpcPort].map((port) => `127.0.0.1:${port}`),
    )
    lines = printed.trim().split('\n')
  }, 600_000)
  afterAll(() => server?.stop())

  testClientChecks(
    ['http', 'grpc'].flatMap((protocol) => checks.map((name) => `${protocol}_${name}`)),
    () => ({ environment, lines }),
  )
})
