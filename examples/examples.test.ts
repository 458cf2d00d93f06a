// Runs the examples as their README says; the packages must be built.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { imageTensor, readPicture } from '@triton-ts/cli'
import { expect, test } from 'vitest'

const model = 'efficientnet_lite0'

/** Runs a script of an example; gives its lines of output. */
function run(example: string, script: string) {
  const cwd = `${import.meta.dirname}/${example}`
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    cwd,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit').then(([code]) => code as number | null)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { lines, exit, stop: () => child.kill('SIGTERM') }
}

/** The body of an inference request for coffee.png, with its headers. */
async function coffeeRequest(): Promise<RequestInit> {
  const picture = await readPicture(`${import.meta.dirname}/images/coffee.png`)
  const format = { datatype: 'FP32', layout: 'NCHW', channels: 3, height: 224, width: 224 } as const
  const { datatype, shape, bytes } = imageTensor([picture], format, 'INCEPTION')
  const header = JSON.stringify({
    inputs: [{ name: 'image', datatype, shape, parameters: { binary_data_size: bytes.byteLength } }],
    outputs: [{ name: 'logits', parameters: { classification: 1 } }],
  })
  return {
    method: 'POST',
    headers: { 'Inference-Header-Content-Length': String(header.length) },
    body: Buffer.concat([Buffer.from(header), bytes]),
  }
}

const espresso = { outputs: [{ data: [expect.stringMatching(/:967:espresso$/)] }] }

test('embed', async () => {
  const { lines, exit } = run('embed', 'embed.ts')
  expect((await lines.next()).value).toBe('coffee.png: espresso')
  expect((await lines.next()).value).toBe('cat.png: Egyptian cat')
  expect(await exit).toBe(0)
})

test('business-logic', async () => {
  const { lines, exit } = run('business-logic', 'serve.ts')
  const words: unknown[] = []
  for await (const word of lines) words.push(word)
  expect(words.join(' ')).toBe('Coffee is made of roasted beans')
  expect(await exit).toBe(0)
})

const missing = ['cmake', 'cc'].filter((tool) => spawnSync(tool, ['--version']).status !== 0)
const cannotBuild = process.platform !== 'linux' || missing.length > 0
if (cannotBuild) console.log(`skipped, native-backend needs Linux, cmake and cc; missing: ${missing.join(', ')}`)

test.skipIf(cannotBuild)('native-backend', async () => {
  const cwd = `${import.meta.dirname}/native-backend`
  for (const args of [
    ['-S', '.', '-B', 'build'],
    ['--build', 'build'],
  ]) {
    const { status, stderr } = spawnSync('cmake', args, { cwd, encoding: 'utf8' })
    expect({ status, stderr }).toMatchObject({ status: 0 })
  }
  const { lines, exit } = run('native-backend', 'serve.ts')
  expect((await lines.next()).value).toBe('[ 2, 4, 6 ]')
  expect(await exit).toBe(0)
})

test.each(['express', 'fastify'])('%s', async (example) => {
  const { lines, exit, stop } = run(example, 'server.ts')
  const url = (await lines.next()).value as string
  const answer = await fetch(`${url}/models/${model}/infer`, await coffeeRequest())
  expect(await answer.json()).toMatchObject(espresso)
  expect(await (await fetch(new URL('/', url))).json()).toMatchObject({ name: 'triton' })
  stop()
  expect(await exit).toBe(0)
})

test('next', async () => {
  process.env.MODEL_REPOSITORY = `${import.meta.dirname}/model_repository`
  const { GET, POST } = await import('./next/app/v2/[...path]/route.ts')
  const { server } = await import('./next/lib/server.ts')
  await using _ = server
  const url = `http://localhost/v2/models/${model}`
  expect(await (await GET(new Request(url))).json()).toMatchObject({ name: model, versions: ['1'] })
  expect(await (await POST(new Request(`${url}/infer`, await coffeeRequest()))).json()).toMatchObject(espresso)
})
