import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SpawnedCommand, SpawnedServer } from './spawned-command.ts'

const example = (path: string) => fileURLToPath(new URL(`../../../examples/${path}`, import.meta.url))
const coffee = example('images/coffee.png')
const cat = example('images/cat.png')

let server: SpawnedServer
let host: string

beforeAll(async () => {
  server = new SpawnedServer(example('model_repository'))
  host = new URL(await server.url()).host
})
afterAll(() => server[Symbol.asyncDispose]())

async function infer(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  await using command = new SpawnedCommand('infer', '-u', host, ...args)
  return { code: await command.exit, stdout: command.stdout, stderr: command.stderr }
}

describe('pictures are named', () => {
  test('one', async () => {
    const { code, stdout } = await infer('-m', 'efficientnet_lite0', '-s', 'INCEPTION', '-c', '3', coffee)
    expect(code).toBe(0)
    const [title, best, ...more] = stdout.trimEnd().split('\n')
    expect(title).toBe(`Image '${coffee}':`)
    expect(best).toMatch(/^ {4}\d+\.\d{6} \(967\) = espresso$/)
    expect(more).toHaveLength(2)
  })

  test('several in one request', async () => {
    const { stdout } = await infer('-m', 'efficientnet_lite0', '-x', '1', '-s', 'INCEPTION', cat, coffee)
    expect(stdout).toMatch(/cat\.png':\n.* \(285\) = Egyptian cat\nImage '.*coffee\.png':\n.* \(967\) = espresso\n$/)
  })

  test('a folder', async () => {
    const { stdout } = await infer('-m', 'efficientnet_lite0', '-s', 'INCEPTION', example('images'))
    expect(stdout.match(/= .*/g)).toEqual(['= Egyptian cat', '= espresso'])
  })

  test('a batch is filled up with the first pictures', async () => {
    const { stdout } = await infer('-m', 'efficientnet_lite0', '-s', 'INCEPTION', '-b', '3', coffee, cat)
    expect(stdout.match(/= .*/g)).toEqual(['= espresso', '= Egyptian cat', '= espresso'])
  })
})

describe('what goes wrong is said', () => {
  test.each([
    [
      ['-m', 'nope', coffee],
      "error: failed to retrieve the metadata: [404] Request for unknown model: 'nope' is not found",
    ],
    [['-m', 'efficientnet_lite0', '-b', '9', coffee], 'error: expecting batch size <= 8 but got 9'],
    [['-m', 'efficientnet_lite0', example('NOTICE')], "error: cannot read picture '"],
    [['-m', 'efficientnet_lite0', '/no/such.png'], 'error: ENOENT'],
    [['-m', 'efficientnet_lite0', example('model_repository')], 'error: no pictures in '],
    [
      ['-m', 'efficientnet_lite0', '-s', 'OTHER', coffee],
      "error: option '-s, --scaling <type>' argument 'OTHER' is invalid",
    ],
    [['-m', 'efficientnet_lite0', '-i', 'grpc', coffee], 'Only HTTP is there yet.'],
    [['-m', 'efficientnet_lite0', '-c', '0', coffee], 'It must be a positive integer.'],
    [['-m', 'efficientnet_lite0'], "error: missing required argument 'image'"],
    [[coffee], "error: required option '-m, --model-name <name>' not specified"],
    [['-u', '', '-m', 'm', coffee], "error: '' is not the address of a server, expecting host:port"],
    [
      ['-u', '127.0.0.1:1', '-m', 'm', coffee],
      'error: failed to retrieve the metadata: cannot reach http://127.0.0.1:1: ',
    ],
  ])('%j', async (args, text) => {
    const { code, stderr } = await infer(...args)
    expect(stderr).toContain(text)
    expect(code).toBe(1)
  })
})
