import { spawnSync } from 'node:child_process'
import { javascript } from '@triton-ts/backend-javascript'
import { onnx } from '@triton-ts/backend-onnx'
import { localCache, Server } from '@triton-ts/core'
import { fetchHandler } from '@triton-ts/http-adapter/fetch'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { placeModel } from '../text-embedding/place-model.ts'
import { modelRepository } from './repositories.ts'

const missing = await placeModel().then(
  () => undefined,
  (error: Error) => error.message,
)

const forgotten = [
  'If you have forgotten your password, press "Forgot password" on the login page of the catalogue.',
  'Without an email address in your account, ask at the front desk for a new password and show your library card.',
]

describe.skipIf(missing !== undefined)(`rag${missing === undefined ? '' : ` (${missing})`}`, () => {
  let server: Server
  beforeAll(async () => {
    const cache = localCache({ size: 1024 * 1024 })
    server = await Server.start({ modelRepository, backends: [onnx(), javascript()], cache })
  })
  afterAll(() => server.stop())

  async function ask(question: string): Promise<string[]> {
    const sentences: string[] = []
    for await (const { SENTENCE } of server.inferStream('rag', { QUESTION: [[question]] })) {
      sentences.push(...SENTENCE!.strings())
    }
    return sentences
  }

  test.each([
    ['How do I reset my password?', forgotten],
    [
      'Can I bring my dog?',
      [
        'Dogs and other animals have to wait outside, in the shade of the yard behind the house.',
        'Guide dogs are welcome everywhere.',
      ],
    ],
    ['How long can I keep a film?', ['Films, games and journals can be borrowed for one week.']],
    ['What is the capital of France?', ['The handbook says nothing about that.']],
  ])('%s', async (question, answer) => {
    expect(await ask(question)).toEqual(answer)
  })

  test('a question that was asked before is not encoded again', async () => {
    const first = await ask('When do you open?')
    const encoded = server.statistics('query_encoder')[0]!
    expect(await ask('When do you open?')).toEqual(first)
    const { executionCount, inferenceStats } = server.statistics('query_encoder')[0]!
    expect(executionCount).toBe(encoded.executionCount)
    expect(inferenceStats.cacheHit.count).toBe(encoded.inferenceStats.cacheHit.count + 1)
  })

  test('a reader who leaves stops the answer', async () => {
    for await (const { SENTENCE } of server.inferStream('rag', { QUESTION: [['How do I reset my password?']] })) {
      expect(SENTENCE!.strings()).toEqual([forgotten[0]])
      break
    }
    expect(await ask('How do I reset my password?')).toEqual(forgotten)
  })

  test('over HTTP each sentence is an event', async () => {
    const handle = fetchHandler(server)
    const response = await handle(
      new Request('http://localhost/v2/models/rag/generate_stream', {
        method: 'POST',
        body: JSON.stringify({ QUESTION: 'How do I reset my password?' }),
      }),
    )
    expect(response.headers.get('Content-Type')).toContain('text/event-stream')
    const events = (await response.text()).trim().split('\n\n')
    expect(events.map((event) => JSON.parse(event.replace(/^data: /, '')).SENTENCE)).toEqual(forgotten)
  })

  test('main.ts answers', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'main.ts'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    })
    const lines = ['How do I reset my password?', ...forgotten.map((sentence) => `  ${sentence}`)]
    expect({ lines: stdout.trimEnd().split('\n'), stderr }).toEqual({ lines, stderr: '' })
  })
})
