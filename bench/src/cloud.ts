import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { Server } from '@triton-ts/core'
import { echoBackend } from '@triton-ts/testing'
import { median, row } from './measure.ts'

/**
 * A model in S3: loaded for the first time, by a server that starts with the cache of the last one, and after one file has
 * changed. The peer fetches the same objects with the AWS SDK, as many at the same time, to files. Medians of the rounds.
 */
const rounds = Number(process.argv[2] ?? 3)
const files = 16
const megabytes = 16

const [directory, work] = await Promise.all([temporary('s3'), temporary('work')])
const server = spawn(
  process.execPath,
  // Its tokens for the pages of a listing need an old cipher.
  ['--openssl-legacy-provider', s3rver(), '-a', '127.0.0.1', '-p', '0', '-d', directory],
  { stdio: ['ignore', 'pipe', 'ignore'] },
)
try {
  const endpoint = `http://127.0.0.1:${await port()}`
  process.env.AWS_ACCESS_KEY_ID = 'S3RVER'
  process.env.AWS_SECRET_ACCESS_KEY = 'S3RVER'
  process.env.AWS_EC2_METADATA_DISABLED = 'true'
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: 'bucket' }))
  const keys = Array.from({ length: files }, (_, i) => `models/m/1/part${i}`)
  const put = (Key: string, Body: Uint8Array | string) =>
    client.send(new PutObjectCommand({ Bucket: 'bucket', Key, Body }))
  await put('models/m/config.pbtxt', config())
  for (const key of keys) await put(key, randomBytes(megabytes * 1e6))

  const times = { peer: [] as number[], first: [] as number[], again: [] as number[], changed: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    const cache = join(work, `cache${round}`)
    const start = () =>
      Server.start({
        modelRepository: `s3://${endpoint}/bucket/models`,
        modelControl: 'explicit',
        backends: [echoBackend()],
        cloudCache: { directory: cache },
      })
    times.peer.push(await taking(() => Promise.all(keys.map((key, i) => fetchTo(client, key, join(work, `${i}`))))))
    {
      await using one = await start()
      times.first.push(await taking(() => one.load('m')))
    }
    await using other = await start()
    times.again.push(await taking(() => other.load('m')))
    await put(keys[0] as string, randomBytes(megabytes * 1e6))
    times.changed.push(await taking(() => other.load('m')))
  }

  console.log(`${files} files of ${megabytes} MB, median of ${rounds} rounds, Node ${process.version}`)
  console.log(row('', 'ms', 'by the peer'))
  const peer = median(times.peer)
  const print = (name: string, values: readonly number[]) =>
    console.log(row(name, median(values).toFixed(0), (median(values) / peer).toFixed(2)))
  print('peer: AWS SDK, to files', times.peer)
  print('first load', times.first)
  print('load with the cache of another server', times.again)
  print('one file changed', times.changed)
} finally {
  server.kill()
  await Promise.all([rm(directory, { recursive: true, force: true }), rm(work, { recursive: true, force: true })])
}

function config(): string {
  return `backend: "identity" input { name: "X" data_type: TYPE_FP32 dims: 1 } output { name: "Y" data_type: TYPE_FP32 dims: 1 }`
}

async function taking(what: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await what()
  return performance.now() - begin
}

async function fetchTo(client: S3Client, Key: string, path: string): Promise<void> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: 'bucket', Key }))
  await pipeline(Body as Readable, createWriteStream(path))
}

async function port(): Promise<string> {
  for await (const line of createInterface({ input: server.stdout })) {
    const match = /listening on 127\.0\.0\.1:(\d+)/.exec(line)
    if (match?.[1] !== undefined) return match[1]
  }
  throw new Error('s3rver did not start')
}

function s3rver(): string {
  return join(createRequire(import.meta.url).resolve('s3rver'), '../../bin/s3rver.js')
}

function temporary(name: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `triton-ts-bench-${name}-`))
}
