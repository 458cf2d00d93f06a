import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Caller } from '../fixtures/caller.ts'
import { testServer } from '../fixtures/test-server.ts'

const request = {
  model_name: 'int32',
  inputs: [{ name: 'IN', datatype: 'INT32', shape: [1], contents: { int_contents: [7] } }],
}

test('a trace tells when the request came and when the answer went, in a call and on a stream', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'triton-ts-'))
  try {
    const file = join(folder, 'trace.json')
    {
      await using fixture = await testServer({ trace: { file, level: ['TIMESTAMPS'], rate: 1 } })
      const caller = new Caller(fixture.server)
      await caller.unary('ModelInfer', request)
      await caller.stream('ModelStreamInfer').request(request).all()
    }
    const entries = JSON.parse(await readFile(file, 'utf8')) as { timestamps?: { name: string }[] }[]
    const marks = entries.flatMap(({ timestamps = [] }) => timestamps.map(({ name }) => name))
    const ours = marks.filter((name) => name.startsWith('GRPC_'))
    const each = ['GRPC_WAITREAD_START', 'GRPC_WAITREAD_END', 'GRPC_SEND_START', 'GRPC_SEND_END']
    expect(ours).toEqual([...each, ...each])
  } finally {
    await rm(folder, { recursive: true })
  }
})
