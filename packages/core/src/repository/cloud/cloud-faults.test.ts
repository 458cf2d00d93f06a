import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { blobsOf, type CloudRig, cloudRig, filesIn, modelFiles, opened } from '../../fixtures/cloud-rig.ts'
import { openStore } from './open-store.ts'
import { withEachServer } from './servers/all-servers.ts'
import type { CloudServer, ServerKind } from './servers/cloud-server.ts'
import { type Fault, FaultyProxy } from './servers/faulty-proxy.ts'

const files = { 'config.pbtxt': 'name: "m"', '1/model.bin': 'x'.repeat(300_000), 'labels.txt': 'cat\ndog' }

const faults: readonly Fault[] = [
  { status: 500 },
  { status: 503, body: '<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please slow down</Message></Error>' },
  { status: 429 },
  'reset',
  'truncate',
  'hang',
  'stall',
]

/** What else goes wrong with contents only, where the server lets it be seen. */
const contentFaults = (kind: ServerKind): readonly Fault[] => (kind.tellsChecksums ? ['corrupt'] : [])

await withEachServer(faultyServer)

/** A repository behind a proxy that fails: through the whole of a `CloudSource`. */
function faultyServer(kind: ServerKind): void {
  let server: CloudServer
  let proxy: FaultyProxy
  beforeAll(async () => {
    server = await kind.start()
    proxy = await FaultyProxy.start(server.origin)
    await server.createBucket('bucket')
    for (const [name, content] of Object.entries(files)) await server.put('bucket', `models/m/${name}`, content)
  })
  afterAll(async () => {
    await proxy.stop()
    await server.stop()
  })
  beforeEach(() => {
    proxy.fault = () => undefined
  })

  const rig = (): Promise<CloudRig> => {
    const { path, environment } = server.behind(proxy.origin)
    return cloudRig({ openStore: () => openStore(path('bucket', 'models'), { environment }) })
  }

  /** Each request fails so many times; where it is silent the time goes by at once. */
  const failing = ({ clock }: CloudRig, fault: Fault, times: number): void => {
    const asked = new Map<string, number>()
    proxy.fault = ({ url = '' }) => {
      const before = asked.get(url) ?? 0
      asked.set(url, before + 1)
      if (before >= times) return undefined
      if (fault === 'hang' || fault === 'stall') setImmediate(() => clock.advance(60_000))
      return fault
    }
  }

  describe.each(faults)('%j', (fault) => {
    test('that goes by delays the model', async () => {
      const made = await rig()
      failing(made, fault, 1)
      expect(await made.source.models()).toEqual(['m'])
      expect([...(await made.source.lookAll()).keys()]).toEqual(['m'])
      const model = await opened(made.source)
      expect(await filesIn(model.directory)).toEqual(files)
      expect(made.log.filter((line) => line.includes('will try again')).length).toBeGreaterThanOrEqual(4)
    })

    test('that stays is an error in a sentence, and leaves nothing behind', async () => {
      const made = await rig()
      const model = await made.source.look('m')
      failing(made, fault, Number.POSITIVE_INFINITY)
      await expect(made.source.models()).rejects.toMatchObject({ name: 'TritonError', code: 'UNAVAILABLE' })
      await expect(model?.open()).rejects.toMatchObject({ name: 'TritonError', code: 'UNAVAILABLE' })
      await expect(model?.open()).rejects.toThrow(/tried 5 times/)
      expect(await modelFiles(made.cache)).toEqual([])
      expect(await blobsOf(made.cache)).toEqual([])

      proxy.fault = () => undefined
      const directory = await (await made.source.look('m'))?.open()
      expect(await filesIn(directory?.directory ?? '')).toEqual(files)
    })
  })

  test.each(contentFaults(kind))('%j content is read again', async (fault) => {
    const made = await rig()
    const model = await made.source.look('m')
    failing(made, fault, 1)
    expect(await filesIn((await model?.open())?.directory ?? '')).toEqual(files)
    expect(made.log.filter((line) => line.includes('will try again'))).toHaveLength(3)
  })
}
