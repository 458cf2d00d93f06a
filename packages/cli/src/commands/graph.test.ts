import { modelRepository } from '@triton-ts/testing'
import { afterEach, expect, test } from 'vitest'
import { graphCommand } from './graph.ts'

const before = process.exitCode
afterEach(() => {
  process.exitCode = before
})

async function graph(...args: string[]): Promise<{ out: string; err: string; exitCode: unknown }> {
  let [out, err] = ['', '']
  const command = graphCommand().configureOutput({
    writeOut: (text) => {
      out += text
    },
    writeErr: (text) => {
      err += text
    },
  })
  await command.parseAsync(args, { from: 'user' })
  return { out, err, exitCode: process.exitCode }
}

const tensors = 'input { name: "IN" data_type: TYPE_FP32 dims: 2 } output { name: "OUT" data_type: TYPE_FP32 dims: 2 }'
const ensemble = `platform: "ensemble" ${tensors} ensemble_scheduling { step {
  model_name: "m" model_version: -1 input_map { key: "IN" value: "IN" } output_map { key: "OUT" value: "OUT" } } }`

test('prints the chart of an ensemble whose models are in several repositories', async () => {
  await using one = await modelRepository({ 'e/config.pbtxt': ensemble, 'e/1/': '' })
  await using other = await modelRepository({ 'm/config.pbtxt': `backend: "x" ${tensors}`, 'm/1/': '' })
  const printed = await graph('e', '--model-repository', one.path, `--model-repository=${other.path}`)
  expect(printed).toEqual({
    out: [
      'flowchart LR',
      '  input0(["IN"])',
      '  step1["m (latest)"]',
      '  input0 -- "IN" --> step1',
      '  output0(["OUT"])',
      '  step1 -- "OUT" --> output0',
      '',
    ].join('\n'),
    err: '',
    exitCode: before,
  })
})

test('says what is wrong, prints the rest and ends with 1', async () => {
  await using one = await modelRepository({ 'e/config.pbtxt': ensemble, 'e/1/': '' })
  const { out, err, exitCode } = await graph('e', '--model-repository', one.path)
  expect(out).toContain('step1["m (latest)<br/>not available"]:::problem')
  expect(err).toBe('error: ensemble e contains models that are not available or ambiguous: m\n')
  expect(exitCode).toBe(1)
})

test('a repository that is not there is an error', async () => {
  const { out, err, exitCode } = await graph('e', '--model-repository', '/nowhere')
  expect([out, err, exitCode]).toEqual(['', "error: repository path is not a valid directory: '/nowhere'\n", 1])
})
