import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { CreateBucketCommand, DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { Environment } from '../credentials.ts'
import { ChildServer, onFreePort } from './child-server.ts'
import type { CloudServer, ServerKind } from './cloud-server.ts'

const { resolve } = createRequire(import.meta.url)

/** The keys that s3rver knows; versitygw is told the same ones. */
const keys = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }

/** s3rver, from npm. */
export const s3rver: ServerKind = {
  name: 's3rver',
  ignoresIfMatch: true,
  start: async () => {
    const script = join(resolve('s3rver'), '../../bin/s3rver.js')
    // Its continuation tokens need a cipher that OpenSSL 3 has among the old ones.
    const options = ['--openssl-legacy-provider', script, '-a', '127.0.0.1', '-p', '0']
    const args = (directory: string) => [...options, '-d', directory]
    const { child, match } = await ChildServer.start(process.execPath, args, /listening on 127\.0\.0\.1:(\d+)/)
    // It looks at the key's name only.
    return s3Server(`http://127.0.0.1:${match[1]}`, child, { ...keys, AWS_ACCESS_KEY_ID: 'somebody' })
  },
}

const versitygwProgram = (process.env.PATH ?? '')
  .split(delimiter)
  .map((directory) => join(directory, 'versitygw'))
  .find((file) => existsSync(file))

/** versitygw, where it is installed: a real S3 server that keeps objects in files. */
export const versitygw: ServerKind = {
  name: 'versitygw',
  tellsChecksums: true,
  missing: versitygwProgram === undefined ? 'it is not on the PATH' : undefined,
  start: () =>
    onFreePort(async (port) => {
      const args = (directory: string) => ['--port', `127.0.0.1:${port}`, 'posix', directory]
      const environment = { ROOT_ACCESS_KEY: keys.AWS_ACCESS_KEY_ID, ROOT_SECRET_KEY: keys.AWS_SECRET_ACCESS_KEY }
      const { child } = await ChildServer.start(versitygwProgram ?? '', args, /service listening on/, environment)
      return s3Server(`http://127.0.0.1:${port}`, child, { ...keys, AWS_SECRET_ACCESS_KEY: 'wrong' })
    }),
}

function s3Server(origin: string, child: ChildServer, wrongEnvironment: Environment): CloudServer {
  const credentials = { accessKeyId: keys.AWS_ACCESS_KEY_ID, secretAccessKey: keys.AWS_SECRET_ACCESS_KEY }
  const client = new S3Client({ endpoint: origin, region: 'us-east-1', forcePathStyle: true, credentials })
  const pathAt = (at: string) => (bucket: string, prefix: string) => `s3://${at}/${bucket}/${prefix}`
  return {
    origin,
    environment: keys,
    wrongEnvironment,
    path: pathAt(origin),
    behind: (proxy) => ({ path: pathAt(proxy), environment: keys }),
    createBucket: async (Bucket) => void (await client.send(new CreateBucketCommand({ Bucket }))),
    put: async (Bucket, Key, content) =>
      void (await client.send(new PutObjectCommand({ Bucket, Key, Body: Buffer.from(content) }))),
    remove: async (Bucket, Key) => void (await client.send(new DeleteObjectCommand({ Bucket, Key }))),
    stop: async () => {
      client.destroy()
      await child.stop()
    },
  }
}
