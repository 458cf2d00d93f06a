import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelRepository, type TemporaryRepository } from '@triton-ts/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { testClientChecks } from './client-checks.ts'
import { goldenRepository } from './corpus.ts'
import { type PythonEnvironment, preparePython, runClient } from './python-environment.ts'
import { SpawnedServer } from './spawned-server.ts'

const identity = join(goldenRepository, 'models/identity_fp32')
const checks = [
  'poll_refuses_control',
  'poll_adds_and_removes',
  'namespaces_resolve_steps',
  'namespaces_resolve_again',
  'namespaces_unload_all',
]

const tensors = ['input { name: "INPUT0"', 'output { name: "OUTPUT0"'].map(
  (tensor) => `${tensor} data_type: TYPE_FP32 dims: -1 }`,
)
const ensemble = `platform: "ensemble" max_batch_size: 8 ${tensors.join(' ')}
  ensemble_scheduling { step { model_name: "composing" model_version: -1
    input_map { key: "INPUT0" value: "INPUT0" } output_map { key: "OUTPUT0" value: "OUTPUT0" } } }`

describe('tritonclient.http and the modes of model control', () => {
  let environment: PythonEnvironment
  const repositories: TemporaryRepository[] = []
  const servers: SpawnedServer[] = []
  let lines: string[] = []

  /** A repository with an ensemble and its step `composing`, of which there is one version. */
  async function namespace(name: string, version: number): Promise<string> {
    const model = await readFile(join(identity, '1/model.onnx'))
    const made = await modelRepository({
      [`${name}/config.pbtxt`]: ensemble,
      [`${name}/1/`]: '',
      'composing/config.pbtxt': `backend: "onnxruntime" max_batch_size: 8 ${tensors.join(' ')}`,
      [`composing/${version}/model.onnx`]: model,
    })
    repositories.push(made)
    return made.path
  }

  beforeAll(async () => {
    environment = await preparePython()
    if ('missing' in environment) return console.warn(`tritonclient tests skipped: ${environment.missing}`)
    const polled = await modelRepository()
    repositories.push(polled)
    await cp(identity, join(polled.path, 'identity_fp32'), { recursive: true })
    const poll = await SpawnedServer.start({
      modelRepositories: [polled.path],
      flags: ['--model-control-mode=poll', '--repository-poll-secs=1'],
      until: 'ready',
    })
    servers.push(poll)
    const namespaces = [await namespace('first_ensemble', 1), await namespace('second_ensemble', 2)]
    const explicit = await SpawnedServer.start({
      modelRepositories: namespaces,
      flags: ['--model-control-mode=explicit', '--model-namespacing=true'],
      until: 'ready',
    })
    servers.push(explicit)
    const addresses = servers.map(({ httpPort }) => `127.0.0.1:${httpPort}`)
    const args = [addresses[0] as string, polled.path, addresses[1] as string, ...namespaces]
    lines = (await runClient(environment.python, 'model_control_client.py', args)).trim().split('\n')
  }, 600_000)
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()))
    await Promise.all(repositories.map((repository) => repository[Symbol.asyncDispose]()))
  })

  testClientChecks(checks, () => ({ environment, lines }))
})
