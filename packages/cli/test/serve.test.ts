import { modelRepository, type RepositoryFiles } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { SpawnedCommand, SpawnedServer } from './spawned-command.ts'

const config = (more = '') => `
backend: "identity"
max_batch_size: 8
input [ { name: "INPUT0" data_type: TYPE_FP32 dims: [ -1 ] } ]
output [ { name: "OUTPUT0" data_type: TYPE_FP32 dims: [ -1 ] } ]
${more}`

/** A model that takes its time over every request. */
const slow = (milliseconds: number): RepositoryFiles => ({
  'slow/config.pbtxt': config(`parameters { key: "execute_delay_ms" value: { string_value: "${milliseconds}" } }`),
  'slow/1/': '',
})

const infer = (url: string): Promise<Response> =>
  fetch(`${url}/v2/models/slow/infer`, {
    method: 'POST',
    body: JSON.stringify({ inputs: [{ name: 'INPUT0', datatype: 'FP32', shape: [1, 2], data: [1, 2] }] }),
  })

describe('a server', () => {
  test('prints the models, then opens the endpoints', async () => {
    await using repository = await modelRepository({ ...slow(0), 'slow/2/': '' })
    await using command = new SpawnedServer(repository.path, '--http-thread-count=4', '--id=here')
    const url = await command.url()
    const metrics = await command.metricsUrl()
    expect(command.stderr).toMatch(
      /--http-thread-count has no effect: .*\n(.*\n)+\| Model \| Version \| Status \|\n(.*\n)+\| slow {2}\| 2 {7}\| READY {2}\|\n(.*\n)+.*Started HTTPService/,
    )
    expect((await fetch(`${url}/v2/health/ready`)).status).toBe(200)
    expect(await (await fetch(`${url}/v2`)).json()).toMatchObject({ name: 'here' })
    expect(await (await fetch(metrics)).text()).toContain('nv_inference_count{model="slow",version="2"} 0')
  })

  test('runs models in TypeScript', async () => {
    const code = `import { defineModel, type ModelRequest } from '@triton-ts/core'
      export default defineModel({
        config: {
          input: [{ name: 'text', dataType: 'TYPE_STRING', dims: [1] }],
          output: [{ name: 'loud', dataType: 'TYPE_STRING', dims: [1] }],
        },
        infer: ({ inputs }: ModelRequest) => ({ loud: inputs.text!.strings().map((text) => text.toUpperCase()) }),
      })`
    await using repository = await modelRepository({ 'shout/1/model.ts': code })
    await using command = new SpawnedServer(repository.path)
    const response = await fetch(`${await command.url()}/v2/models/shout/infer`, {
      method: 'POST',
      body: JSON.stringify({ inputs: [{ name: 'text', datatype: 'BYTES', shape: [1], data: ['hello'] }] }),
    })
    expect(await response.json()).toMatchObject({ outputs: [{ name: 'loud', data: ['HELLO'] }] })
    command.kill('SIGTERM')
    expect(await command.exit).toBe(0)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('finishes what it does on %s', async (signal) => {
    await using repository = await modelRepository(slow(700))
    await using command = new SpawnedServer(repository.path)
    const url = await command.url()
    const answer = infer(url)
    // Requests are read in the order in which they come: after this one the other is in flight.
    await fetch(`${url}/v2/health/live`)
    command.kill(signal)
    const response = await answer
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ model_name: 'slow', outputs: [{ name: 'OUTPUT0', data: [1, 2] }] })
    expect(await command.exit).toBe(0)
    await expect(fetch(`${url}/v2/health/live`)).rejects.toThrow('fetch failed')
  })

  test('does not wait longer than --exit-timeout-secs', async () => {
    await using repository = await modelRepository(slow(600_000))
    await using command = new SpawnedServer(repository.path, '--exit-timeout-secs=1')
    const url = await command.url()
    const answer = infer(url).catch(() => undefined)
    await fetch(`${url}/v2/health/live`)
    command.kill('SIGTERM')
    expect(await command.exit).toBe(1)
    expect(command.stderr).toContain('error: stopping server: Internal - Exit timeout expired. Exiting immediately.')
    await answer
  })

  const endless = config('parameters { key: "creation_delay_sec" value: { string_value: "600" } }')

  test('gives up a load that a client waits for on SIGTERM, and that client hears it', async () => {
    await using repository = await modelRepository({ 'endless/config.pbtxt': endless, 'endless/1/': '' })
    await using command = new SpawnedServer(repository.path, '--model-control-mode=explicit')
    const url = await command.url()
    const load = fetch(`${url}/v2/repository/models/endless/load`, { method: 'POST' })
    await fetch(`${url}/v2/health/live`)
    command.kill('SIGTERM')
    const response = await load
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('the load was given up')
    expect(await command.exit).toBe(0)
  })

  test('gives the loading up on SIGTERM', async () => {
    await using repository = await modelRepository({ 'endless/config.pbtxt': endless, 'endless/1/': '' })
    await using command = new SpawnedServer(repository.path, '--http-thread-count=4')
    await command.until(/--http-thread-count has no effect/)
    command.kill('SIGTERM')
    expect(await command.exit).toBe(0)
    expect(command.stderr).not.toContain('Started')
  })

  test('without any endpoint it serves nothing, and stops all the same', async () => {
    await using repository = await modelRepository(slow(0))
    const off = ['--allow-http=false', '--allow-grpc=0', '--allow-metrics=off']
    await using command = new SpawnedServer(repository.path, ...off)
    await command.until(/\| slow {2}\| 1 {7}\| READY {2}\|\n.*\n/)
    command.kill('SIGTERM')
    expect(await command.exit).toBe(0)
    expect(command.stderr).not.toContain('Started')
  })
})

describe('a start that fails', () => {
  const broken: RepositoryFiles = {
    ...slow(0),
    'broken/config.pbtxt': config().replace('INPUT0', 'X'),
    'broken/1/': '',
  }

  test('prints the models and why', async () => {
    await using repository = await modelRepository(broken)
    await using command = new SpawnedServer(repository.path)
    expect(await command.exit).toBe(1)
    expect(command.stderr).toMatch(/\| broken \| 1 {7}\| UNAVAILABLE: Invalid argument: expected input name to follow/)
    expect(command.stderr).toMatch(/\| slow {3}\| 1 {7}\| READY/)
    expect(command.stderr).toContain('error: creating server: Internal - failed to load all models')
    expect(command.stderr).not.toContain('Started HTTPService')
  })

  test('goes on with --exit-on-error=false', async () => {
    await using repository = await modelRepository(broken)
    await using command = new SpawnedServer(repository.path, '--exit-on-error=false')
    const url = await command.url()
    expect((await fetch(`${url}/v2/health/ready`)).status).toBe(400)
    expect((await infer(url)).status).toBe(200)
  })

  test('a repository that is not there', async () => {
    await using command = new SpawnedServer('/no/such/folder')
    expect(await command.exit).toBe(1)
    expect(command.stderr).toMatch(/^error: creating server: .*\/no\/such\/folder|repository path/m)
  })

  test('no repository at all', async () => {
    await using command = new SpawnedCommand('serve')
    expect(await command.exit).toBe(1)
    expect(command.stderr).toContain('error: creating server: Invalid argument - --model-repository must be specified')
  })

  test('a port that is taken', async () => {
    await using repository = await modelRepository(slow(0))
    await using first = new SpawnedServer(repository.path)
    const port = new URL(await first.url()).port
    await using second = new SpawnedServer(repository.path, `--http-port=${port}`)
    expect(await second.exit).toBe(1)
    expect(second.stderr).toContain(
      `error: starting HTTP service: Unavailable - Socket '127.0.0.1:${port}' already in use`,
    )
  })
})

describe('the command line', () => {
  test('a bad option: the usage, and at its end why', async () => {
    await using command = new SpawnedCommand('serve', '--nonsense=1')
    expect(await command.exit).toBe(1)
    expect(command.stdout).toBe('')
    expect(command.stderr).toMatch(/^Usage: triton-ts serve \[options\]\n/)
    expect(command.stderr).toMatch(/\n\nBad option: "--nonsense"\.\nunrecognized option\n$/)
  })

  test('a log file that cannot be opened', async () => {
    await using command = new SpawnedCommand('serve', '--model-repository=.', '--log-file=/no/such/folder/log')
    expect(await command.exit).toBe(1)
    expect(command.stderr).toMatch(/^error: ENOENT: .*'\/no\/such\/folder\/log'\n$/)
  })

  test('--help', async () => {
    await using command = new SpawnedCommand('serve', '--help')
    expect(await command.exit).toBe(0)
    expect(command.stdout).toContain('--http-port <integer> (default 8000)')
  })

  test('--version is that of the package', async () => {
    await using command = new SpawnedCommand('--version')
    expect(await command.exit).toBe(0)
    expect(command.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})
