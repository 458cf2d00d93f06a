import { manualBackend } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { answer, config, input, manual, repository, started } from '../fixtures/server-rig.ts'
import { request, versions } from './fixtures/split-rig.ts'

const policy = (text: string): string => config(`version_policy { ${text} }`)

describe('versions side by side', () => {
  test.each([
    ['latest { num_versions: 2 }', [2, 3]],
    ['latest { num_versions: 9 }', [1, 2, 3]],
    ['specific { versions: [1, 3] }', [1, 3]],
    ['all {}', [1, 2, 3]],
  ])('%s serves %o at the same time', async (text, serving) => {
    const server = await started(versions('m', policy(text), 1, 2, 3))
    expect(server.model('m').metadata().versions).toEqual(serving.map(String))
    for (const version of serving) {
      expect((await server.model('m', version).request(request())).modelVersion).toBe(version)
      expect(await server.model('m', version).isReady()).toBe(true)
      expect(server.model('m', version).metadata().versions).toEqual([String(version)])
      expect(server.statistics('m', version)).toMatchObject([{ version: String(version), inferenceCount: 1 }])
      expect(server.metrics()).toContain(`nv_inference_request_success{model="m",version="${version}"} 1`)
    }
    // Without a version it is the highest.
    expect((await server.model('m').request(request())).modelVersion).toBe(3)
    expect(server.statistics('m').map(({ version }) => version)).toEqual(serving.map(String))
    const absent = [1, 2, 3].filter((version) => !serving.includes(version))
    for (const version of absent) {
      await expect(server.model('m', version).request(request())).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: `Request for unknown model: 'm' version ${version} is not found`,
      })
      expect(await server.model('m', version).isReady()).toBe(false)
      expect(() => server.statistics('m', version)).toThrow("requested model version is not available for model 'm'")
    }
  })

  test('have instances, queues and requests of their own', async () => {
    const backend = manualBackend()
    const text = manual('version_policy { latest { num_versions: 2 } }')
    const server = await started(versions('m', text, 1, 2), { backends: [backend] })
    const first = server.infer('m', input(), { version: 1 })
    const second = server.infer('m', input(), { version: 2 })
    // Both run, though each version has one instance.
    for (const { requests, finish } of [await backend.next(), await backend.next()]) {
      requests[0]?.respond(answer)
      finish()
    }
    await Promise.all([first, second])
  })

  test('come and go by the policy of a reload, while the others serve', async () => {
    const made = await repository(versions('m', policy('latest { num_versions: 1 }'), 1, 2))
    const server = await started({}, { modelRepository: made.path, modelControl: 'explicit', loadModels: ['m'] })
    const serving = () => server.model('m').metadata().versions
    expect(serving()).toEqual(['2'])
    await made.write({ 'm/config.pbtxt': policy('latest { num_versions: 2 }') })
    await server.load('m')
    expect(serving()).toEqual(['1', '2'])
    await made.write({ 'm/config.pbtxt': policy('specific { versions: [1] }') })
    await server.load('m')
    expect(serving()).toEqual(['1'])
    await expect(server.model('m', 2).request(request())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: "Request for unknown model: 'm' version 2 is not at ready state",
    })
  })
})
