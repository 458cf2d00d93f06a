import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { cleanUp } from '../../fixtures/server-rig.ts'
import { openStore } from './open-store.ts'
import { FaultyProxy } from './servers/faulty-proxy.ts'

test('a server that tells no ETag is believed by its dates', async () => {
  const server = await FaultyProxy.start('http://127.0.0.1:1')
  cleanUp(() => server.stop())
  const environment = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const store = await openStore(`s3://${server.origin}/bucket`, { environment })
  cleanUp(async () => store.dispose())
  const { signal } = new AbortController()
  const list = async (date: string) => {
    const contents = `<Contents><Key>m/x</Key><Size>2</Size><LastModified>${date}</LastModified></Contents>`
    server.fault = () => ({ status: 200, body: `<ListBucketResult>${contents}</ListBucketResult>` })
    const [object] = await store.list('', signal)
    return object ?? { key: '', size: 0, etag: '' }
  }
  const first = await list('2026-01-01T00:00:00.000Z')
  expect(first.etag).toBe('modified 2026-01-01T00:00:00.000Z')
  expect((await list('2026-01-01T00:00:01.000Z')).etag).not.toBe(first.etag)

  server.fault = ({ headers }) => ({ status: 200, body: 'if-match' in headers ? 'condition' : 'ok' })
  expect(String(await buffer(await store.read(first, signal)))).toBe('ok')
})
