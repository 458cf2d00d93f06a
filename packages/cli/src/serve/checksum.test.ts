import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { openLog } from './log.ts'
import { settingsOf } from './settings.ts'
import { startServing } from './start-serving.ts'

/** The model of Triton's test L0_repoagent_checksum, with the digest that its library should have. */
const model = (digest: string): string => `
  name: "identity_int32" backend: "identity" max_batch_size: 0
  input { name: "INPUT0" data_type: TYPE_INT32 dims: -1 }
  output { name: "OUTPUT0" data_type: TYPE_INT32 dims: -1 }
  instance_group { count: 1 kind: KIND_CPU }
  model_repository_agents { agents { name: "checksum" parameters [
    { key: "MD5:1/libtriton_identity.so" value: "${digest}" },
    { key: "MD5:data_file" value: "${md5('data')}" }
  ] } }`

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

test('L0_repoagent_checksum: a wrong digest stops the start and says so, with the right one the model serves', async () => {
  await using repository = await modelRepository({
    'identity_int32/config.pbtxt': model('invalid_checksum'),
    'identity_int32/1/libtriton_identity.so': 'library',
    'identity_int32/data_file': 'data',
  })
  await using logs = await modelRepository()
  const file = join(logs.path, 'log')
  const settings = settingsOf([
    `--model-repository=${repository.path}`,
    ...[
      '--allow-grpc=false',
      '--allow-metrics=false',
      '--http-address=127.0.0.1',
      '--http-port=0',
      `--log-file=${file}`,
    ],
  ])
  const log = openLog(settings.log)
  await expect(startServing(settings, log)).rejects.toThrow('failed to load all models')
  const text = `'identity_int32': Mismatched MD5 hash for file 1/libtriton_identity.so`
  expect(await readFile(file, 'utf8')).toContain(text)

  await repository.write({ 'identity_int32/config.pbtxt': model(md5('library')) })
  const serving = await startServing(settings, log)
  try {
    for (const data of [[], [1, -2, 3, 4, 5, 6, 7]]) {
      const inputs = [{ name: 'INPUT0', datatype: 'INT32', shape: [data.length], data }]
      const url = `http://127.0.0.1:${serving?.http?.port}/v2/models/identity_int32/infer`
      const response = await fetch(url, { method: 'POST', body: JSON.stringify({ inputs }) })
      expect(await response.json()).toMatchObject({ outputs: [{ name: 'OUTPUT0', shape: [data.length], data }] })
    }
  } finally {
    await serving?.stop()
    log.close()
  }
})
