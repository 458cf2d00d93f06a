import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { rawService, unaryPath } from '../fixtures/raw-service.ts'

const isMissing = spawnSync('h2load', ['--version']).error !== undefined
if (isMissing) console.log('skipped: h2load (Debian package nghttp2-client) is not there')

test.skipIf(isMissing).each([
  [64, 5000, 8, 1],
  [64, 5000, 1, 100],
  [200_000, 100, 4, 4],
])('messages of %d bytes, %d calls over %d connections with %d calls each', async (size, count, connections, calls) => {
  const directory = await mkdtemp(join(tmpdir(), 'triton-ts-h2load-'))
  const body = join(directory, 'body')
  const message = Buffer.alloc(5 + size, 7)
  message[0] = 0
  message.writeUInt32BE(size, 1)
  await writeFile(body, message)
  await using service = await rawService({ unary: async (request) => [request] })
  const { stdout } = await promisify(execFile)('h2load', [
    ...['-n', String(count), '-c', String(connections), '-m', String(calls), '-d', body],
    ...['-H', 'content-type: application/grpc', '-H', 'te: trailers'],
    `http://127.0.0.1:${service.port}${unaryPath}`,
  ])
  expect(stdout).toContain(`${count} succeeded, 0 failed, 0 errored, 0 timeout`)
  const data = Number(/ headers .*\((\d+)\) data/.exec(stdout)?.[1])
  expect(data).toBe(count * message.length)
  await rm(directory, { recursive: true })
})
