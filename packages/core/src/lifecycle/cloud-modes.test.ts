import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { modelFiles, temporaryDirectory } from '../fixtures/cloud-rig.ts'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { cleanUp, config } from '../fixtures/server-rig.ts'
import { tellingBackend } from '../fixtures/telling-backend.ts'
import { parseModelConfig, Server, type ServerOptions } from '../index.ts'
import { withEachServer } from '../repository/cloud/servers/all-servers.ts'
import type { CloudServer, ServerKind } from '../repository/cloud/servers/cloud-server.ts'

await withEachServer(cloudModes)

/** A backend whose model files tell what `config` says. */
const { maxBatchSize, input, output } = parseModelConfig(config()).config
const completing = inlineBackend('onnxruntime', () => ({ model: { autoCompleted: { maxBatchSize, input, output } } }))

/** The modes of model control over two buckets. */
function cloudModes(kind: ServerKind): void {
  let cloud: CloudServer
  const buckets = ['first-bucket', 'second-bucket'] as const
  beforeAll(async () => {
    cloud = await kind.start()
    for (const [name, value] of Object.entries(cloud.environment)) vi.stubEnv(name, value)
    for (const bucket of buckets) await cloud.createBucket(bucket)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await cloud.stop()
  })

  /** Paths of two repositories of their own, each with one version of the model `m`. */
  async function repositories(prefix: string): Promise<[string, string]> {
    for (const [i, bucket] of buckets.entries()) {
      await cloud.put(bucket, `${prefix}/m/config.pbtxt`, config())
      await cloud.put(bucket, `${prefix}/m/${i + 1}/model`, 'weights')
    }
    return [cloud.path(buckets[0], prefix), cloud.path(buckets[1], prefix)]
  }

  async function start(modelRepository: readonly string[], options: ServerOptions): Promise<Server> {
    const { backend } = tellingBackend(() => 1)
    const backends = [backend, completing]
    const cloudCache = { directory: await temporaryDirectory() }
    const server = new Server({ modelRepository, backends, cloudCache, ...options })
    cleanUp(() => server.stop().catch(() => {}))
    await server.start()
    return server
  }

  const states = async (server: Server): Promise<string[]> =>
    (await server.index()).map(({ name, version, state }) => [name, version, state].join(' ').trim())

  test('poll: what comes is loaded, what goes is unloaded', async () => {
    const [first] = await repositories('polled')
    const poll = { modelControl: 'poll', repositoryPollSecs: 0, repositorySettleSecs: 0 } as const
    const server = await start([first], poll)
    expect(await states(server)).toEqual(['m 1 READY'])
    await cloud.put(buckets[0], 'polled/m/4/model', 'weights of version 4')
    await cloud.put(buckets[0], 'polled/other/config.pbtxt', config())
    await cloud.put(buckets[0], 'polled/other/1/model', 'weights')
    await server.poll()
    expect(await states(server)).toEqual(['m 1 UNAVAILABLE', 'm 4 READY', 'other 1 READY'])
    for (const key of ['config.pbtxt', '1/model', '4/model']) await cloud.remove(buckets[0], `polled/m/${key}`)
    await server.poll()
    expect(await states(server)).toEqual(['other 1 READY'])
    expect(() => server.model('m').metadata()).toThrow("Request for unknown model: 'm' has no available versions")
  })

  test('explicit: several buckets, one of them registered later and with a mapping', async () => {
    const [first, second] = await repositories('registered')
    const server = await start([first], { modelControl: 'explicit', loadModels: ['m'] })
    await server.registerModelRepository(second, { n: 'm' })
    await server.load('n')
    expect(await states(server)).toEqual(['m 1 READY', 'n 2 READY'])
    await server.unregisterModelRepository(second)
    expect((await server.infer('n', { IN: new Float32Array(2) })).OUT?.data).toEqual(new Float32Array([1, 1]))
    await server.unload('n')
    await expect(server.load('n')).rejects.toMatchObject({ code: 'INTERNAL' })
  })

  test('a change of instances alone keeps the directory that is read, and no other; an unload that waits leaves none', async () => {
    const [first] = await repositories('instances')
    const directory = await temporaryDirectory()
    const cloudCache = { directory }
    const server = await start([first], { modelControl: 'explicit', loadModels: ['m'], cloudCache })
    const files = await modelFiles(directory)
    expect(files).toHaveLength(2)
    await cloud.put(buckets[0], 'instances/m/config.pbtxt', config('instance_group { count: 2 }'))
    await server.load('m')
    expect(server.model('m').config.instanceGroup[0]?.count).toBe(2)
    expect(await modelFiles(directory)).toEqual(files)
    await server.unload('m', { waitUntilUnloaded: true })
    expect(await modelFiles(directory)).toEqual([])
  })

  test('namespaces: one name in two buckets', async () => {
    const paths = await repositories('namespaces')
    const server = await start(paths, { modelNamespacing: true })
    expect((await states(server)).sort()).toEqual(['m 1 READY', 'm 2 READY'])
    expect(server.model(`${paths[1]}::m`).metadata()).toMatchObject({ name: 'm', versions: ['2'] })
    expect(() => server.model('m').metadata()).toThrow('model namespace must be provided to resolve ambiguity.')
  })

  test('a model without a configuration is completed from its file', async () => {
    // s3rver does not list a directory that has nothing but directories.
    await cloud.put(buckets[0], 'auto/m/labels.txt', 'cat')
    await cloud.put(buckets[0], 'auto/m/1/model.onnx', 'weights')
    const server = await start([cloud.path(buckets[0], 'auto')], { modelControl: 'none' })
    expect(server.model('m').metadata()).toMatchObject({ inputs: [{ name: 'IN', shape: [-1, 2] }] })
  })

  test('a bucket that is not there stops the start, and is none to register', async () => {
    const nowhere = cloud.path('no-such-bucket', 'models')
    await expect(start([nowhere], { modelControl: 'none' })).rejects.toMatchObject({ name: 'TritonError' })
    const server = await start([], { modelControl: 'explicit' })
    await expect(server.registerModelRepository(nowhere)).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: `failed to register '${nowhere}', repository not found`,
    })
  })
}
