import fc from 'fast-check'
import { expect, test } from 'vitest'
import { useTestClient } from './test-client.ts'
import { inferBody } from './test-server.ts'

const { call, infer } = useTestClient()

/** An answer is a result, or an error that says something. */
async function expectAnswer(response: Response): Promise<void> {
  const text = await response.text()
  if (response.status === 200) return
  expect([400, 404, 500, 501, 503]).toContain(response.status)
  const { error } = JSON.parse(text) as { error: string }
  expect(error.length).toBeGreaterThan(0)
  expect(error).not.toBe('internal error')
}

/** The server answers as before, and what was sent is not kept. */
async function expectUnharmed(before: number): Promise<void> {
  const response = await infer('fp32', inferBody([1, 2]))
  expect(await response.json()).toMatchObject({ outputs: [{ data: [1, 2] }] })
  expect(process.memoryUsage().rss - before).toBeLessThan(500 * 2 ** 20)
}

const models = fc.constantFrom('fp32', 'int8', 'int64', 'bool', 'string', 'fp16', 'pair', 'matrix', 'labelled')
const seed = 20_250

/** Values in the places where the protocol has them, right and wrong ones. */
const wild = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  fc.constantFrom<unknown>(
    -1,
    0,
    1,
    2 ** 31,
    2 ** 53,
    1e300,
    'FP32',
    'BYTES',
    'INT8',
    'INPUT0',
    'OUTPUT0',
    true,
    null,
    [],
    {},
  ),
  fc.array(fc.oneof(fc.integer({ min: -2, max: 5 }), fc.constant(2 ** 40))),
)
const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | unknown> => fc.oneof({ weight: 4, arbitrary }, wild)
const inputs = fc.record(
  {
    name: some(fc.constantFrom('INPUT0', 'A', 'B')),
    datatype: some(fc.constantFrom('FP32', 'INT8', 'INT64', 'BOOL', 'BYTES', 'FP16', 'INT32')),
    shape: some(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 })),
    data: some(fc.oneof(fc.array(fc.integer()), fc.array(fc.double()), fc.array(fc.string()), fc.array(fc.boolean()))),
    parameters: some(fc.record({ binary_data_size: some(fc.nat(40)) }, { requiredKeys: [] })),
  },
  { requiredKeys: ['name', 'datatype', 'shape'] },
)
const outputs = fc.record(
  {
    name: some(fc.constant('OUTPUT0')),
    parameters: some(
      fc.record({ classification: some(fc.nat(5)), binary_data: some(fc.boolean()) }, { requiredKeys: [] }),
    ),
  },
  { requiredKeys: ['name'] },
)
const messages = fc.record(
  {
    id: some(fc.string()),
    inputs: some(fc.array(inputs, { maxLength: 3 })),
    outputs: some(fc.array(outputs, { maxLength: 3 })),
    parameters: some(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }))),
  },
  { requiredKeys: ['inputs'] },
)

/** Text with a byte changed, cut or repeated. */
const damaged = fc
  .tuple(messages, fc.nat(), fc.nat(255), fc.constantFrom('none', 'change', 'cut', 'repeat'))
  .map(([message, place, byte, damage]) => {
    const bytes = Buffer.from(JSON.stringify(message))
    const at = place % bytes.length
    if (damage === 'change') bytes[at] = byte
    if (damage === 'cut') return bytes.subarray(0, at)
    return damage === 'repeat' ? Buffer.concat([bytes.subarray(0, at), bytes]) : bytes
  })

test('3,000 JSON bodies', async () => {
  const before = process.memoryUsage().rss
  await fc.assert(
    fc.asyncProperty(models, damaged, async (model, body) => {
      await expectAnswer(await infer(model, new Uint8Array(body)))
    }),
    { numRuns: 3000, seed },
  )
  await expectUnharmed(before)
})

test('3,000 binary bodies', async () => {
  const before = process.memoryUsage().rss
  const headerLengths = fc.oneof(
    fc.constant(undefined),
    fc.integer({ min: -2, max: 300 }),
    fc.constantFrom(2 ** 31, 1e20),
  )
  await fc.assert(
    fc.asyncProperty(
      models,
      damaged,
      fc.uint8Array({ maxLength: 60 }),
      headerLengths,
      async (model, json, bytes, length) => {
        const headers = { 'Inference-Header-Content-Length': String(length ?? json.byteLength) }
        await expectAnswer(await infer(model, Buffer.concat([json, bytes]), headers))
      },
    ),
    { numRuns: 3000, seed },
  )
  await expectUnharmed(before)
})

test('3,000 bodies of the generate extension', async () => {
  const before = process.memoryUsage().rss
  const names = fc.constantFrom('INPUT0', 'A', 'B', 'id', 'parameters', 'x', '__proto__', 'model_name')
  const flat = fc.array(fc.tuple(names, wild), { maxLength: 4 })
  // Written member by member, so that names may come twice.
  const bodies = some(flat).map((body) =>
    Array.isArray(body) && body.every(Array.isArray)
      ? `{${body.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)}}`
      : JSON.stringify(body),
  )
  await fc.assert(
    fc.asyncProperty(models, fc.constantFrom('generate', 'generate_stream'), bodies, async (model, action, body) => {
      const response = await call(`/v2/models/${model}/${action}`, { method: 'POST', body })
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      if (!isStream) return expectAnswer(response)
      expect(await response.text()).toMatch(/^(data: {.*}\n\n)*$/)
    }),
    { numRuns: 3000, seed },
  )
  await expectUnharmed(before)
})
