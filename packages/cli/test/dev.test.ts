import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { SpawnedCommand } from './spawned-command.ts'

const code = (ending: string) => `import { defineModel, type ModelRequest } from '@triton-ts/core'
  export default defineModel({
    config: {
      input: [{ name: 'text', dataType: 'TYPE_STRING', dims: [1] }],
      output: [{ name: 'loud', dataType: 'TYPE_STRING', dims: [1] }],
    },
    infer: ({ inputs }: ModelRequest) => ({ loud: inputs.text!.strings().map((text) => text + '${ending}') }),
  })`

const body = JSON.stringify({ inputs: [{ name: 'text', datatype: 'BYTES', shape: [1], data: ['hello'] }] })

test('triton-ts dev loads the code that is saved, and stops on Ctrl-C', async () => {
  await using repository = await modelRepository({ 'shout/1/model.ts': code('!') })
  const flags = [
    `--model-repository=${repository.path}`,
    '--http-address=127.0.0.1',
    '--http-port=0',
    '--grpc-port=0',
    '--metrics-port=0',
  ]
  await using command = new SpawnedCommand('dev', ...flags)
  const url = await command.says(/serving 1 model at (http:\S+), watching /)
  const ask = async (): Promise<unknown> => {
    const response = await fetch(`${url}/v2/models/shout/infer`, { method: 'POST', body })
    return ((await response.json()) as { outputs: { data: unknown[] }[] }).outputs[0]?.data[0]
  }
  expect(await ask()).toBe('hello!')
  const file = join(repository.path, 'shout/1/model.ts')
  await writeFile(`${file}~`, code('?').replace('infer:', 'infer = :'))
  await rename(`${file}~`, file)
  await command.says(/error: .*shout\/1\/model\.ts:7.*; version 1 still serves\n/)
  expect(await ask()).toBe('hello!')
  await writeFile(`${file}~`, code('?'))
  await rename(`${file}~`, file)
  await command.says(/reloaded 'shout' version 1 in \d+ ms\n/)
  expect(await ask()).toBe('hello?')
  command.kill('SIGINT')
  expect(await command.exit).toBe(0)
  expect(command.stderr).toBe('')
})
