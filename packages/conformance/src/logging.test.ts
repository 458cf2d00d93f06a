import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { goldenRepository } from './corpus.ts'
import { sendRaw } from './raw-http.ts'
import { SpawnedServer } from './spawned-server.ts'

/** The formats of lines as Triton's own test reads them. */
const places = String.raw`(?<pid>\d+) (?<file>[\w.]+):(?<line>\d+)\] (?<message>.*)$`
const formats = {
  default: new RegExp(String.raw`^[IWE](?:0[1-9]|1[0-2])[0-3]\d \d\d:\d\d:\d\d\.\d{6} ${places}`),
  ISO8601: new RegExp(String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ [IWE] ${places}`),
}
const forged = 'I0205 18:34:18.707423 1 file.cc:123] "THIS ENTRY WAS INJECTED"\u001b[31m'

const post = async (server: SpawnedServer, path: string, body: object): Promise<unknown> => {
  const bytes = Buffer.from(JSON.stringify(body))
  const answer = await sendRaw(server.httpPort, { method: 'POST', path, headers: {}, body: bytes })
  return JSON.parse(answer.body.toString())
}

/** Serves one model with these flags, does `work` and returns what was printed until the end. */
async function logOf(
  flags: string[],
  work: (server: SpawnedServer) => Promise<unknown>,
  environment: Record<string, string> = {},
): Promise<string[]> {
  const server = await SpawnedServer.start({
    modelRepositories: [join(goldenRepository, 'models')],
    flags: ['--model-control-mode=explicit', '--load-model=identity_fp32', ...flags],
    until: 'ready',
    environment,
  })
  try {
    await work(server)
  } finally {
    await server.stop()
  }
  return server.output.trimEnd().split('\n')
}

const fail = (server: SpawnedServer): Promise<unknown> =>
  post(server, '/v2/models/identity_fp32/infer', {
    id: 'mine',
    inputs: [{ name: `\n${forged}\n${forged}`, datatype: 'FP32', shape: [1, 1], data: [1] }],
  })

describe.each(['default', 'ISO8601'] as const)('format %s', (format) => {
  test('every line has it or is one of a table, and no message can pose as a line', async () => {
    const lines = await logOf([`--log-format=${format}`, '--log-verbose=1'], fail)
    const others = lines.filter((line) => !formats[format].test(line))
    expect(others.filter((line) => !/^[+|].*[+|]$/.test(line))).toEqual([])
    const messages = lines.flatMap((line) => formats[format].exec(line)?.groups?.message || [])
    for (const message of messages) expect(typeof JSON.parse(message)).toBe('string')
    expect(messages.some((message) => message.includes('THIS ENTRY WAS INJECTED'))).toBe(true)
  }, 60_000)

  test('unless it is told not to escape', async () => {
    const flags = [`--log-format=${format}`, '--log-verbose=1']
    expect(await logOf(flags, fail, { TRITON_SERVER_ESCAPE_LOG_MESSAGES: '0' })).toContain(forged)
  }, 60_000)
})

test('format json is an object in each line, with what is known of a request that failed', async () => {
  const lines = await logOf(['--log-format=json', '--log-verbose=1'], fail)
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  for (const entry of entries) {
    expect(entry).toMatchObject({
      time: expect.stringMatching(/Z$/),
      level: expect.any(String),
      module: expect.any(String),
    })
  }
  expect(entries).toContainEqual(
    expect.objectContaining({
      level: 'debug',
      requestId: 'mine',
      model: 'identity_fp32',
      version: 1,
      err: { code: 'INVALID_ARG', message: expect.any(String) },
      message: expect.stringContaining('[request id: mine] Infer failed: '),
    }),
  )
}, 60_000)

test('settings that change while it serves hold at once', async () => {
  const lines = await logOf(['--log-verbose=1'], async (server) => {
    const change = (settings: object): Promise<unknown> => post(server, '/v2/logging', settings)
    expect(await change({ log_info: false })).toMatchObject({ log_info: false, log_verbose_level: 1 })
    await change({ log_verbose_level: 0, log_error: false })
    await fail(server)
    await post(server, '/v2/repository/models/no_such_model/load', {})
    await change({ log_info: true, log_format: 'ISO8601' })
  })
  const said = (text: string): number => lines.filter((line) => line.includes(text)).length
  expect(said('HTTP request: POST /v2/logging')).toBe(2)
  expect(said('Infer failed')).toBe(0)
  expect(said('no_such_model')).toBe(0)
  expect(lines.at(-1)).toMatch(formats.ISO8601)
}, 60_000)
