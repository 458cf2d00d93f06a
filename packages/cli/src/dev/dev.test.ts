import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { modelRepository, type TemporaryRepository } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { dev } from './dev.ts'
import { devSettings } from './dev-settings.ts'

const config = (more = '') => `backend: "identity"
max_batch_size: 8
input [ { name: "INPUT0" data_type: TYPE_FP32 dims: [ 2 ] } ]
output [ { name: "OUTPUT0" data_type: TYPE_FP32 dims: [ 2 ] } ]
${more}`

const model = (name: string, more?: string) => ({ [`${name}/config.pbtxt`]: config(more), [`${name}/1/model`]: 'one' })

/** `triton-ts dev` in this process, on a free port. */
class RunningDev implements AsyncDisposable {
  text = ''
  readonly exit: Promise<number>
  readonly #controller = new AbortController()
  #heard = (): void => {}

  constructor(repository: TemporaryRepository, ...flags: string[]) {
    const sink = {
      write: (text: string): void => {
        this.text += text
        this.#heard()
      },
    }
    const args = [`--model-repository=${repository.path}`, '--http-address=127.0.0.1', '--http-port=0', ...flags]
    this.exit = dev([...args, '--allow-grpc=false', '--allow-metrics=false'], { signal: this.#controller.signal, sink })
  }

  /** The first group of the next line that matches; what comes before it is dropped. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const match = pattern.exec(this.text)
      if (match !== null) {
        this.text = this.text.slice(match.index + match[0].length)
        return match[1] ?? match[0]
      }
      await new Promise<void>((resolve) => {
        this.#heard = resolve
      })
    }
  }

  url(): Promise<string> {
    return this.line(/serving \d+ models? at (http:\S+), watching .*\n/)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort()
    await this.exit
  }
}

const body = JSON.stringify({ inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: [1, 2], data: [1, 2] }] })

describe('what is saved', () => {
  test('is loaded, reloaded and unloaded, and every request is answered meanwhile', async () => {
    await using repository = await modelRepository(model('m'))
    await using running = new RunningDev(repository)
    const url = await running.url()
    let isOver = false
    const statuses = new Map<number, number>()
    const ask = async (): Promise<void> => {
      while (!isOver) {
        const { status } = await fetch(`${url}/v2/models/m/infer`, { method: 'POST', body })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    const callers = [ask(), ask()]
    await repository.write({ 'm/1/model': 'two, longer' })
    expect(await running.line(/^(reloaded 'm' version 1 in \d+ ms)\n/m)).toMatch(/^reloaded/)
    // As editors save: beside the file, and then in its place.
    await writeFile(join(repository.path, 'm/.config.pbtxt.swp'), config('dynamic_batching {}'))
    await rename(join(repository.path, 'm/.config.pbtxt.swp'), join(repository.path, 'm/config.pbtxt'))
    await running.line(/^reloaded 'm' version 1 in \d+ ms\n/m)
    await repository.write({ 'm/2/model': 'two' })
    await running.line(/^loaded 'm' version 2 in \d+ ms\n/m)
    await running.line(/^unloaded 'm' version 1\n/m)
    await repository.write(model('added'))
    await running.line(/^loaded 'added' version 1 in \d+ ms\n/m)
    await repository.write({ 'm/config.pbtxt': config('dynamic_batching {} instance_group { count: 2 }') })
    await running.line(/^changed the instances of 'm' version 2 in \d+ ms\n/m)
    await repository.remove('added')
    await running.line(/^unloaded 'added' version 1\n/m)
    isOver = true
    await Promise.all(callers)
    expect([...statuses.keys()]).toEqual([200])
    expect(statuses.get(200)).toBeGreaterThan(10)
  })

  test('with a mistake: the line says where, and the old version serves until it is mended', async () => {
    await using repository = await modelRepository({ ...model('m'), ...model('other') })
    await using running = new RunningDev(repository)
    const url = await running.url()
    const file = join(repository.path, 'm/config.pbtxt')
    await repository.write({ 'm/config.pbtxt': config('dynamic_batchingg {}') })
    const error = await running.line(/^error: (.*)\n/m)
    expect(error).toContain(`${file}:5:1: `)
    expect(error).toMatch(/dynamic_batchingg.*; version 1 still serves$/)
    expect((await fetch(`${url}/v2/models/m/infer`, { method: 'POST', body })).status).toBe(200)
    expect(running.text).toBe('')
    // Another model that is saved does not have the error told again.
    await repository.write({ 'other/labels.txt': 'a' })
    await running.line(/^reloaded 'other' version 1 in \d+ ms\n/m)
    await repository.write({ 'm/config.pbtxt': config('dynamic_batching {}') })
    await running.line(/^reloaded 'm' version 1 in \d+ ms\n/m)
    expect(running.text).not.toContain('error')
  })

  test('with a mistake that is taken back is told to be as it was', async () => {
    await using repository = await modelRepository(model('m'))
    await using running = new RunningDev(repository)
    await running.url()
    const file = join(repository.path, 'm/config.pbtxt')
    await rename(file, `${file}.orig`)
    await repository.write({ 'm/config.pbtxt': config('nonsense {}') })
    await running.line(/^error: .*nonsense.*; version 1 still serves\n/m)
    await rename(`${file}.orig`, file)
    await running.line(/^'m' is what it was; version 1 serves\n/m)
    expect(running.text).toBe('')
  })

  test('is found when the whole repository was replaced', async () => {
    await using parent = await modelRepository({})
    const path = join(parent.path, 'models')
    await using first = await modelRepository(model('m'))
    await using second = await modelRepository({ ...model('m', 'dynamic_batching {}'), ...model('n') })
    await rename(first.path, path)
    await using running = new RunningDev({ ...first, path })
    await running.url()
    await rename(path, first.path)
    await running.line(/^error: failed to poll model repository /m)
    await rename(second.path, path)
    await running.line(/^reloaded 'm' version 1/m)
    await parent.write({ 'models/n/1/model': 'changed' })
    await running.line(/^reloaded 'n' version 1/m)
    expect(running.text).not.toContain('error')
  })

  test('at the start with a mistake is told, and served when it is mended', async () => {
    await using repository = await modelRepository({ 'm/config.pbtxt': config('nonsense: 1'), 'm/1/': '' })
    await using running = new RunningDev(repository)
    expect(await running.line(/^error: (.*)\n/m)).toContain('config.pbtxt:5:1: ')
    await running.url()
    await repository.write(model('m'))
    await running.line(/^loaded 'm' version 1 in \d+ ms\n/m)
  })
})

test.each([
  [
    '--model-repository=s3://bucket/models',
    "'s3://bucket/models' is none: use triton-ts serve --model-control-mode=poll",
  ],
  ['--model-control-mode=explicit', 'triton-ts dev loads everything that is there and changes'],
])('%s is refused', (flag, text) => {
  expect(() => devSettings([flag])).toThrow(text)
})

test('what the flags of serve mean here', () => {
  const { server, log } = devSettings(['--model-repository=/models'])
  const polling = { modelControl: 'poll', repositoryPollSecs: 0, repositorySettleSecs: 0.1, exitOnError: false }
  expect(server).toMatchObject(polling)
  expect(log.info).toBe(false)
  const given = devSettings(['--repository-poll-secs=5', '--exit-on-error=true', '--log-info=true'])
  expect(given.server).toMatchObject({ repositoryPollSecs: 5, exitOnError: true })
  expect(given.log.info).toBe(true)
})
