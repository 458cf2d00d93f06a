import { expect, test } from 'vitest'
import { fetchHandler } from '../fetch.ts'
import { useTestClient } from '../test-client.ts'
import { inferBody } from '../test-server.ts'

const client = useTestClient()
const call = { method: 'POST', body: inferBody([1], 'FP32', [1, 1]) }

test('with the option, an answer tells why the request ran when it did', async () => {
  const handle = fetchHandler(client.fixture.server, { explain: true })
  const { headers } = await client.call('/v2/models/fp32/infer', call, handle)
  const text = decodeURIComponent(headers.get('triton-ts-explanation') ?? '')
  expect(text).toMatch(/^waited [\d.]+ ms, ran alone because an instance was free, on fp32_0$/)
})

test('without it no answer does', async () => {
  const { headers } = await client.call('/v2/models/fp32/infer', call)
  expect(headers.get('triton-ts-explanation')).toBeNull()
})
