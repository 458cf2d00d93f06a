import { createRequire } from 'node:module'
import { join } from 'node:path'
import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob'
import { ChildServer } from './child-server.ts'
import type { CloudServer, ServerKind } from './cloud-server.ts'

const { resolve } = createRequire(import.meta.url)

/** The account that every emulator of Azure Storage has, and its key, which is public. */
const account = 'devstoreaccount1'
const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='
const wrongKey = Buffer.from('wrong').toString('base64')

/** Azurite, Microsoft's emulator. */
export const azurite: ServerKind = { name: 'azurite', start }

async function start(): Promise<CloudServer> {
  const script = join(resolve('azurite/package.json'), '../dist/src/blob/main.js')
  const options = ['--skipApiVersionCheck', '--disableTelemetry', '--inMemoryPersistence', '--silent']
  const args = () => [script, '--blobHost', '127.0.0.1', '--blobPort', '0', ...options]
  const { child, match } = await ChildServer.start(process.execPath, args, /successfully listens on (http:\S+:\d+)/)
  const origin = match[1] ?? ''
  const client = new BlobServiceClient(`${origin}/${account}`, new StorageSharedKeyCredential(account, key))
  const blob = (container: string, name: string) => client.getContainerClient(container).getBlockBlobClient(name)
  const pathAt = (at: string) => (container: string, prefix: string) => `as://${at}/${account}/${container}/${prefix}`
  const environment = { AZURE_STORAGE_KEY: key }
  return {
    origin,
    environment,
    wrongEnvironment: { AZURE_STORAGE_KEY: wrongKey },
    path: pathAt(origin),
    behind: (proxy) => ({ path: pathAt(proxy), environment }),
    createBucket: async (container) => void (await client.createContainer(container)),
    put: async (container, name, content) => void (await blob(container, name).uploadData(Buffer.from(content))),
    remove: async (container, name) => void (await blob(container, name).delete()),
    stop: () => child.stop(),
  }
}
