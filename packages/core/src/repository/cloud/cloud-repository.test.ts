import { echoBackend } from '@triton-ts/testing'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { temporaryDirectory } from '../../fixtures/cloud-rig.ts'
import { cleanUp, config, input } from '../../fixtures/server-rig.ts'
import { Server, type ServerOptions, tensor } from '../../index.ts'
import { withEachServer } from './servers/all-servers.ts'
import type { CloudServer, ServerKind } from './servers/cloud-server.ts'
import { FaultyProxy } from './servers/faulty-proxy.ts'

const answer = { OUT: tensor('FP32', [1, 2], new Float32Array([1, 2])) }

await withEachServer(wholeServer)

/** A Server whose models lie in a cloud; its credentials are in the environment, as users have them. */
function wholeServer(kind: ServerKind): void {
  let cloud: CloudServer
  let proxy: FaultyProxy
  let path: string
  beforeAll(async () => {
    cloud = await kind.start()
    proxy = await FaultyProxy.start(cloud.origin)
    const behind = cloud.behind(proxy.origin)
    path = behind.path('bucket', 'some/models')
    for (const [name, value] of Object.entries(behind.environment)) vi.stubEnv(name, value)
    await cloud.createBucket('bucket')
    await put('m/config.pbtxt', config())
    await put('m/1/model.bin', 'weights of version 1')
    await put('m/labels.txt', 'cat')
    await put('other/config.pbtxt', config())
    await put('other/1/model.bin', 'other weights')
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await proxy.stop()
    await cloud.stop()
  })
  afterEach(() => {
    proxy.fault = () => undefined
  })

  const put = (name: string, content: string): Promise<void> => cloud.put('bucket', `some/models/${name}`, content)

  /** The last part of the keys that were read meanwhile. */
  const readDuring = async (work: () => Promise<unknown>): Promise<string[]> => {
    const before = proxy.seen.length
    await work()
    const names = ['config.pbtxt', 'labels.txt', 'model.bin']
    return proxy.seen
      .slice(before)
      .flatMap((request) => names.filter((name) => request.split('?')[0]?.endsWith(name)))
      .sort()
  }

  const start = async (options: ServerOptions): Promise<Server> => {
    const server = new Server({ modelRepository: path, backends: [echoBackend()], ...options })
    cleanUp(() => server.stop().catch(() => {}))
    await server.start()
    return server
  }

  test('loads, infers, and fetches what has changed when it loads again', async () => {
    const cloudCache = { directory: await temporaryDirectory() }
    const server = await start({ modelControl: 'explicit', cloudCache })
    expect((await server.index()).map(({ name }) => name)).toEqual(['m', 'other'])
    expect(await readDuring(() => server.load('m'))).toEqual(['config.pbtxt', 'labels.txt', 'model.bin'])
    expect(await server.infer('m', input())).toEqual(answer)
    expect(await readDuring(() => server.load('m'))).toEqual([])

    await put('m/2/model.bin', 'weights of version 2')
    expect(await readDuring(() => server.load('m'))).toEqual(['model.bin'])
    expect((await server.index()).find(({ name, state }) => name === 'm' && state === 'READY')?.version).toBe('2')
    expect(await server.infer('m', input())).toEqual(answer)

    await put('m/config.pbtxt', config('version_policy { all {} }'))
    expect(await readDuring(() => server.load('m'))).toEqual(['config.pbtxt'])
    await server.stop()

    const again = await start({ cloudCache })
    expect(await again.infer('other', input())).toEqual(answer)
    expect(await readDuring(() => start({ cloudCache }))).toEqual([])
  })

  test('a cloud that fails during a load leaves the old version, and the next load heals it', async () => {
    const server = await start({
      modelControl: 'explicit',
      loadModels: ['m'],
      cloudCache: { directory: await temporaryDirectory() },
    })
    await put('m/labels.txt', 'dog')
    proxy.fault = () => ({ status: 403, body: '<Error><Code>AccessDenied</Code><Message>No</Message></Error>' })
    await expect(server.load('m')).rejects.toMatchObject({ name: 'TritonError' })
    expect(await server.infer('m', input())).toEqual(answer)
    proxy.fault = () => undefined
    expect(await readDuring(() => server.load('m'))).toEqual(['labels.txt'])
  })
}
