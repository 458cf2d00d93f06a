import { manualBackend } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { fetchHandler } from '../fetch.ts'
import { inferBody, testServer } from '../test-server.ts'

test('a server that stops says so on every path, and ends what runs', async () => {
  const backend = manualBackend()
  await using fixture = await testServer([backend])
  const handle = fetchHandler(fixture.server)
  const ask = async (path: string, body?: string): Promise<[number, string]> => {
    const answer = await handle(
      new Request(`http://host/v2/${path}`, body === undefined ? {} : { method: 'POST', body }),
    )
    return [answer.status, await answer.text()]
  }
  for (const path of ['health/live', 'health/ready', 'models/slow/ready']) expect(await ask(path)).toEqual([200, ''])
  const running = ask('models/slow/infer', inferBody([1], 'FP32', [1]))
  const { requests, finish } = await backend.next()
  const stopped = fixture.server.stop()
  const exiting = [503, '{"error":"Server exiting"}']
  const notReady = [503, '{"error":"Server not ready"}']
  expect(await ask('health/live')).toEqual(exiting)
  expect(await ask('health/ready')).toEqual(exiting)
  expect(await ask('models/slow/ready')).toEqual(notReady)
  expect(await ask('models/stats')).toEqual(notReady)
  expect(await ask('models/slow/stats')).toEqual(notReady)
  expect(await ask('repository/index', '')).toEqual(notReady)
  expect((await ask('models/slow'))[0]).toBe(200)
  expect((await ask('models/slow/infer', inferBody([1], 'FP32', [1])))[1]).toContain('stopped accepting')
  requests[0]?.respond({ outputs: { OUTPUT0: requests[0].inputs.get('INPUT0') as never } })
  finish()
  expect((await running)[0]).toBe(200)
  await stopped
})
