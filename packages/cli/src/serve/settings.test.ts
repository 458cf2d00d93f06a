import { describe, expect, test } from 'vitest'
import { settingsOf } from './settings.ts'

test('defaults', () => {
  expect(settingsOf(['--model-repository=/models'])).toEqual({
    server: {
      id: 'triton',
      modelRepository: ['/models'],
      modelControl: 'none',
      loadModels: [],
      repositoryPollSecs: 15,
      modelNamespacing: false,
      exitOnError: true,
      exitTimeout: 30,
      strictReadiness: true,
      disableAutoComplete: false,
      modelConfigName: undefined,
      modelLoadThreadCount: 4,
      modelLoadRetryCount: 0,
      backendConfig: {},
      rateLimit: 'off',
      rateLimitResources: [],
      hostPolicies: {},
      trafficSplit: {},
      gpus: [],
      metrics: { cpu: true, interval: 2000, pinnedMemoryPool: 268435456 },
    },
    backendDirectory: '/opt/tritonserver/backends',
    cache: {},
    http: {
      host: '0.0.0.0',
      port: 8000,
      maxInputSize: 64 * 1024 * 1024,
      maxBodySize: 2 ** 31 - 1,
      headerForwardPattern: undefined,
      restrictedApis: [],
    },
    grpc: {
      host: '0.0.0.0',
      port: 8001,
      headerForwardPattern: undefined,
      restrictedApis: [],
      compressionLevel: 'none',
      keepaliveTime: 7_200_000,
      keepaliveTimeout: 20_000,
      keepalivePermitWithoutCalls: false,
      maxPingsWithoutData: 2,
      minPingInterval: 300_000,
      maxPingStrikes: 2,
      maxConnectionAge: 2 ** 31 - 1,
      maxConnectionAgeGrace: 2 ** 31 - 1,
    },
    metrics: { host: '0.0.0.0', port: 8002 },
    access: { apiKeyFile: '', exemptApis: [] },
    gpuMetrics: true,
    trace: {
      options: { level: [], rate: 1000, count: -1, logFrequency: 0, file: '' },
      notices: [],
    },
    log: { verbose: 0, info: true, warning: true, error: true, format: 'default', file: '' },
    exitTimeout: 30,
    notices: [],
  })
})

describe('where flags go', () => {
  test('shared memory, which the addresses decide about without the flag', () => {
    expect(settingsOf([]).sharedMemory).toBeUndefined()
    expect(settingsOf(['--allow-client-shm']).sharedMemory).toBe(true)
    expect(settingsOf(['--allow-client-shm=false']).sharedMemory).toBe(false)
  })

  test('endpoints that are switched off', () => {
    const settings = settingsOf(['--allow-http=false', '--allow-metrics=false'])
    expect(settings.http).toBeUndefined()
    expect(settings.metrics).toBeUndefined()
  })

  test('metrics are at the address of HTTP unless they have their own', () => {
    expect(settingsOf(['--http-address=127.0.0.1']).metrics?.host).toBe('127.0.0.1')
    expect(settingsOf(['--http-address=127.0.0.1', '--metrics-address=::1']).metrics?.host).toBe('::1')
  })

  test('restricted APIs', () => {
    const flags = [
      '--http-restricted-api=model-repository,inference:admin-key=secret',
      '--http-restricted-api=health:k=a=b',
    ]
    expect(settingsOf(flags).http?.restrictedApis).toEqual([
      { apis: ['model-repository', 'inference'], key: 'admin-key', value: 'secret' },
      { apis: ['health'], key: 'k', value: 'a=b' },
    ])
  })

  test('keys, and what needs none', () => {
    const flags = ['--api-key-file=/keys', '--api-key-exempt-apis=health,metadata', '--api-key-exempt-apis=metrics']
    expect(settingsOf(flags).access).toEqual({
      apiKeyFile: '/keys',
      exemptApis: ['health', 'metadata', 'metrics'],
    })
  })

  test('certificates of HTTP and metrics', () => {
    const flags = ['--http-server-cert=/cert', '--http-server-key=/key']
    expect(settingsOf(flags).tls).toEqual({ cert: '/cert', key: '/key', ca: '' })
    expect(settingsOf([...flags, '--http-root-cert=/ca']).tls).toEqual({ cert: '/cert', key: '/key', ca: '/ca' })
  })

  test('settings of the cache', () => {
    expect(settingsOf(['--cache-config=redis,host=h', '--cache-config=redis,password=a=b,c']).cache).toEqual({
      redis: { host: 'h', password: 'a=b,c' },
    })
    expect(settingsOf(['--response-cache-byte-size=8192']).cache).toEqual({ local: { size: '8192' } })
    expect(settingsOf(['--response-cache-byte-size=0']).cache).toEqual({})
  })

  test.each(['x-fwd-.*', '(?i)x-fwd-.*'])('header pattern %s ignores case', (pattern) => {
    const found = settingsOf([`--http-header-forward-pattern=${pattern}`]).http?.headerForwardPattern
    expect(found?.test('X-Fwd-Name')).toBe(true)
  })
})

test('gRPC over mutual TLS takes its files, and without it none', () => {
  const files = ['--grpc-server-cert=/cert', '--grpc-server-key=/key', '--grpc-root-cert=/ca']
  expect(settingsOf(['--grpc-use-ssl-mutual=true', ...files]).grpc?.tlsFiles).toEqual({
    cert: '/cert',
    key: '/key',
    ca: '/ca',
  })
  expect(settingsOf(['--grpc-use-ssl=true', ...files]).grpc?.tlsFiles).toEqual({ cert: '/cert', key: '/key', ca: '' })
  expect(settingsOf(files).grpc?.tlsFiles).toBeUndefined()
  expect(settingsOf(['--allow-grpc=false']).grpc).toBeUndefined()
})
