import { echoBackend } from '@triton-ts/testing'
import { describe, expect, test } from 'vitest'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { config, input, repository, started } from '../fixtures/server-rig.ts'
import { Server, TritonError } from '../index.ts'
import type { BackendFinder, SoughtModel } from './backend-finder.ts'

const files = { 'm/config.pbtxt': config('runtime: "lib.so"'), 'm/3/': '' }

/** Has only backends of this name, and remembers what it was asked for. */
function finder(name: string): BackendFinder & { readonly asked: [string, SoughtModel][] } {
  const asked: [string, SoughtModel][] = []
  return {
    asked,
    async find(sought, model) {
      asked.push([sought, model])
      return sought === name ? echoBackend(sought) : undefined
    },
  }
}

test('finders are asked in order, for what they need to look for the library', async () => {
  const finders = [finder('other'), finder('identity'), finder('identity')] as const
  const { path } = await repository(files)
  await using server = await Server.start({ modelRepository: path, backends: finders })
  expect(Object.keys(await server.infer('m', input()))).toEqual(['OUT'])
  expect(finders.map(({ asked }) => asked.map(([name]) => name))).toEqual([['identity'], ['identity'], []])
  expect(finders[1].asked[0]?.[1]).toMatchObject({
    directory: `${path}/m`,
    versionDirectory: `${path}/m/3`,
    config: { name: 'm', backend: 'identity', runtime: 'lib.so' },
  })
})

test('a backend that is given by name comes before every finder', async () => {
  const late = finder('identity')
  await started(files, { backends: [late, echoBackend()] })
  expect(late.asked).toEqual([])
})

test('settings are those of the name that the configuration has', async () => {
  const found = inlineBackend('library', ({ backendConfig }) => {
    expect(backendConfig).toEqual({ all: '1', own: '2' })
    return {}
  })
  await started(files, {
    backends: [{ find: async () => found }],
    backendConfig: { '': { all: '1' }, identity: { own: '2' }, library: { own: '3' } },
  })
  expect.assertions(1)
})

describe('the load fails', () => {
  const failure = async (find: BackendFinder['find']) => {
    const { path } = await repository(files)
    return Server.start({ modelRepository: path, backends: [{ find }] }).catch(({ message }: TritonError) => message)
  }

  test('where nobody has the backend, with the text of Triton', async () => {
    expect(await failure(async () => undefined)).toContain(
      "unable to find backend library for backend 'identity', try specifying runtime on the model configuration.",
    )
  })

  test('for the reason that a finder throws', async () => {
    const reason = 'unable to load shared library: libtriton_identity.so'
    expect(await failure(() => Promise.reject(new TritonError('NOT_FOUND', reason)))).toContain(reason)
  })
})
