import { silentLogger } from '@triton-ts/core'
import { describe, expect, test } from 'vitest'
import { Access } from './access.ts'
import type { AccessCall, Authorize } from './authorize.ts'

const call = (api: AccessCall['api'], headers: Record<string, string> = {}, more: Partial<AccessCall> = {}) => ({
  ...{ protocol: 'http' as const, api, path: '/v2', peer: '127.0.0.1', signal: undefined },
  header: (name: string) => headers[name],
  ...more,
})

const unauthorized = (api: string) => ({
  reason: 'unauthorized',
  message: `not authorized for '${api}': valid credentials are needed`,
})

describe('restrictions', () => {
  const restrictedApis = [{ apis: ['health', 'statistics'], key: 'Admin-Key', value: 'sécret' }] as const

  test('want the value of their header, whatever the case of its name', () => {
    const access = new Access({ restrictedApis })
    const message = "This API is restricted, expecting header 'Admin-Key'"
    expect(access.check(call('health'))).toEqual({ reason: 'restricted', message })
    expect(access.check(call('health', { 'admin-key': 'secret' }))).toEqual({ reason: 'restricted', message })
    expect(access.check(call('statistics', { 'admin-key': 'sécret' }))).toBeUndefined()
    expect(access.check(call('inference'))).toBeUndefined()
  })

  test('of gRPC have a prefix and say protocol', () => {
    const access = new Access({ restrictedApis }, 'triton-grpc-protocol-')
    const grpc = { protocol: 'grpc' as const }
    const header = 'triton-grpc-protocol-Admin-Key'
    expect(access.check(call('health', { 'admin-key': 'sécret' }, grpc))).toEqual({
      reason: 'restricted',
      message: `This protocol is restricted, expecting header '${header}'`,
    })
    expect(access.check(call('health', { [header.toLowerCase()]: 'sécret' }, grpc))).toBeUndefined()
  })

  test('guard their own APIs alone', () => {
    const access = new Access({ restrictedApis })
    expect([access.guards('health'), access.guards('inference'), access.guards('metrics')]).toEqual([
      true,
      false,
      false,
    ])
  })
})

describe('authorize', () => {
  const check = (authorize: Authorize, api: AccessCall['api'] = 'inference') =>
    new Access({ authorize }).check(call(api))

  test('is asked for every API, and sees the call', () => {
    const access = new Access({ authorize: ({ api, header, peer }) => api === 'metrics' && header('a') === `${peer}` })
    expect(access.guards('health')).toBe(true)
    expect(access.check(call('metrics', { a: '127.0.0.1' }))).toBeUndefined()
    expect(access.check(call('metrics'))).toEqual(unauthorized('metrics'))
    expect(access.check(call('health', { a: '127.0.0.1' }))).toEqual(unauthorized('health'))
  })

  test('may take its time', async () => {
    expect(await check(async () => true)).toBeUndefined()
    expect(await check(async () => false)).toEqual(unauthorized('inference'))
  })

  test('refuses with everything that is not true', async () => {
    for (const value of [undefined, null, 1, 'yes', {}]) {
      expect(await check((async () => value) as unknown as Authorize)).toEqual(unauthorized('inference'))
      expect(await check((() => value) as unknown as Authorize)).toEqual(unauthorized('inference'))
    }
  })

  test('that throws refuses and is logged, unless the client has left', async () => {
    const errors: unknown[] = []
    const logger = { ...silentLogger, error: (fields: object) => errors.push((fields as { err: unknown }).err) }
    const failing = (authorize: Authorize, signal?: AbortSignal) =>
      new Access({ authorize, logger }).check(call('trace', {}, { signal }))
    const fail = (): never => {
      throw new Error('the key server is down')
    }
    expect(failing(fail)).toEqual(unauthorized('trace'))
    expect(await failing(async () => fail())).toEqual(unauthorized('trace'))
    expect(errors).toEqual([new Error('the key server is down'), new Error('the key server is down')])
    expect(await failing(async () => fail(), AbortSignal.abort())).toEqual(unauthorized('trace'))
    expect(errors).toHaveLength(2)
  })

  test('comes before the header of a restriction', () => {
    const restrictedApis = [{ apis: ['health' as const], key: 'k', value: 'v' }]
    const access = (authorized: boolean) => new Access({ restrictedApis, authorize: () => authorized })
    expect(access(false).check(call('health'))).toEqual(unauthorized('health'))
    expect(access(true).check(call('health'))).toMatchObject({ reason: 'restricted' })
    expect(access(true).check(call('health', { k: 'v' }))).toBeUndefined()
  })
})
