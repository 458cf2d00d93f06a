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
  test('repositories, each once', () => {
    const { server } = settingsOf(['--model-store=/b', '--model-repository=/a', '--model-repository=/a'])
    expect(server.modelRepository).toEqual(['/a', '/b'])
  })

  test.each(['poll', 'POLL', 'Poll'])('mode %s, and how often', (mode) => {
    const { server, notices } = settingsOf([`--model-control-mode=${mode}`, '--repository-poll-secs', '2'])
    expect(server).toMatchObject({ modelControl: 'poll', repositoryPollSecs: 2 })
    expect(notices).toEqual([])
  })

  test('shared memory, which the addresses decide about without the flag', () => {
    expect(settingsOf([]).sharedMemory).toBeUndefined()
    expect(settingsOf(['--allow-client-shm']).sharedMemory).toBe(true)
    expect(settingsOf(['--allow-client-shm=false']).sharedMemory).toBe(false)
  })

  test('namespaces', () => {
    expect(settingsOf(['--model-namespacing=TRUE']).server.modelNamespacing).toBe(true)
  })

  test('explicit mode with models', () => {
    const { server } = settingsOf([
      '--model-control-mode=explicit',
      '--load-model=a',
      '--load-model=b',
      '--load-model=a',
    ])
    expect(server).toMatchObject({ modelControl: 'explicit', loadModels: ['a', 'b'] })
  })

  test('models on demand, within a budget', () => {
    const { server } = settingsOf(['--model-control-mode=on-demand', '--memory-budget=8GB', '--load-model=a'])
    expect(server).toMatchObject({ modelControl: 'on-demand', memoryBudget: '8GB', loadModels: ['a'] })
    expect(settingsOf(['--model-control-mode=ON-DEMAND']).server).not.toHaveProperty('memoryBudget')
  })

  test('numbers are kept within their least value', () => {
    const { server, exitTimeout } = settingsOf([
      '--exit-timeout-secs=-5',
      '--model-load-thread-count=0',
      '--model-load-retry-count=-1',
      '--repository-poll-secs=-1',
    ])
    expect(server).toMatchObject({ exitTimeout: 0, modelLoadThreadCount: 1, modelLoadRetryCount: 0 })
    expect(exitTimeout).toBe(0)
  })

  test.each(['--disable-auto-complete-config', '--strict-model-config=true'])('%s', (flag) => {
    expect(settingsOf([flag]).server.disableAutoComplete).toBe(true)
  })

  test('backend settings, by backend and for all', () => {
    const { server } = settingsOf([
      '--backend-config=default-max-batch-size=16',
      '--backend-config=onnxruntime,a=1',
      '--backend-config=onnxruntime,b=x=y,z',
    ])
    expect(server.backendConfig).toEqual({
      '': { 'default-max-batch-size': '16' },
      onnxruntime: { a: '1', b: 'x=y,z' },
    })
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

  test('rate limiter and host policies', () => {
    const { server } = settingsOf([
      '--rate-limit=EXECUTION_COUNT',
      '--rate-limit-resource=R1:10',
      '--rate-limit-resource=R1:5:0',
      '--rate-limit-resource=R2:8:-1',
      '--gpus=0,2',
      '--host-policy=gpu_0,numa-node=0',
      '--host-policy=gpu_0,cpu-cores=0-7',
    ])
    expect(server).toMatchObject({
      rateLimit: 'execution_count',
      rateLimitResources: [
        { name: 'R1', count: 10 },
        { name: 'R1', count: 5, device: 0 },
        { name: 'R2', count: 8 },
      ],
      gpus: [0, 2],
      hostPolicies: { gpu_0: { 'numa-node': '0', 'cpu-cores': '0-7' } },
    })
  })

  test.each(['x-fwd-.*', '(?i)x-fwd-.*'])('header pattern %s ignores case', (pattern) => {
    const found = settingsOf([`--http-header-forward-pattern=${pattern}`]).http?.headerForwardPattern
    expect(found?.test('X-Fwd-Name')).toBe(true)
  })
})

describe('what is refused', () => {
  test.each([
    [['--load-model=a'], "Error: Use of '--load-model' requires setting '--model-control-mode=explicit' as well."],
    [
      ['--model-control-mode=explicit', '--load-model=*', '--load-model=a'],
      /Wildcard model name '\*' must be the ONLY startup model if specified at all\.$/,
    ],
    [['--load-model=a', '--model-control-mode=poll'], /^Error: Use of '--load-model' requires setting/],
    [['--memory-budget=1GB'], /^Error: Use of '--memory-budget' requires setting '--model-control-mode=on-demand'/],
    [['--model-control-mode=always'], 'Bad option: "--model-control-mode".\ninvalid argument for --model-control-mode'],
    [['--model-config-name='], 'Bad option: "--model-config-name".\nError: empty argument for --model-config-name'],
    [['--model-repository='], /^Bad option: "--model-repository"\.\nrepository path is not a valid directory: ''$/],
    [['--http-max-input-size=0'], /Error: --http-max-input-size must be greater than 0\.$/],
    [
      ['--http-header-forward-pattern=('],
      /^Bad option: "--http-header-forward-pattern"\.\n.* not a regular expression: \($/,
    ],
    [
      ['--grpc-header-forward-pattern=('],
      /^Bad option: "--grpc-header-forward-pattern"\.\n.* not a regular expression: \($/,
    ],
    [['--grpc-use-ssl=true'], 'Error: gRPC over TLS needs both --grpc-server-cert and --grpc-server-key.'],
    [
      ['--grpc-use-ssl-mutual=true', '--grpc-server-cert=/cert', '--grpc-server-key=/key'],
      /--grpc-use-ssl-mutual needs --grpc-root-cert\.$/,
    ],
    [
      ['--http-port=9000', '--grpc-port=9000'],
      'The server cannot listen to HTTP requests and GRPC requests at the same address and port 0.0.0.0:9000',
    ],
    [
      ['--grpc-port=9000', '--metrics-port=9000'],
      'The server cannot listen to GRPC requests and metrics requests at the same address and port 0.0.0.0:9000',
    ],
    [['--backend-config=,a=b'], /No backend specified\. .* Got ,a=b$/],
    [['--backend-config=onnxruntime,a'], /option format is '<backend name>,<setting>=<value>'\. Got onnxruntime,a$/],
    [['--backend-config=a='], /Got a=$/],
    [
      ['--cache-config=size=1'],
      /No cache specified\. --cache-config option format is <cache name>,<setting>=<value>\. Got size=1$/,
    ],
    [['--cache-config=,size=1'], /No cache specified\. .* Got ,size=1$/],
    [['--cache-config=local,size'], /option format is '<cache name>,<setting>=<value>'\. Got local,size$/],
    [['--cache-config=local,size='], /Got local,size=$/],
    [['--cache-config=local,=1'], /Got local,=1$/],
    [
      ['--response-cache-byte-size=12345', '--cache-config=local,size=67890'],
      'Error: Incompatible flags --response-cache-byte-size and --cache-config both provided. ' +
        'Please provide one or the other.',
    ],
    [['--rate-limit=often'], 'Bad option: "--rate-limit".\ninvalid argument for --rate-limit'],
    [
      ['--rate-limit-resource=R1'],
      'Bad option: "--rate-limit-resource".\n--rate-limit-resource option format is ' +
        "'<resource_name>:<count>:<device>' or '<resource_name>:<count>'. Got R1",
    ],
    [['--rate-limit-resource=R1:1:0:0'], /option format is .* Got R1:1:0:0$/],
    [['--rate-limit-resource=R1:many'], /Invalid option value\. Got many$/],
    [['--rate-limit-resource=R1:1:gpu'], /Invalid option value\. Got gpu$/],
    [['--rate-limit-resource=R1:-1'], /Provided option value is out of bound\. Got -1$/],
    [['--rate-limit-resource=R1:2147483648'], /Provided option value is out of bound\. Got 2147483648$/],
    [
      ['--host-policy=numa-node=0'],
      'Bad option: "--host-policy".\n--host-policy option format is ' +
        "'<policy name>,<setting>=<value>'. Got numa-node=0",
    ],
    [['--host-policy=gpu_0,numa-node'], /Got gpu_0,numa-node$/],
    [['--host-policy=,a=b'], /Got ,a=b$/],
    [['--host-policy=a,=b'], /Got a,=b$/],
    [['--host-policy=a,b='], /Got a,b=$/],
    [['--http-restricted-api=health'], /option format is '<config name>:<setting>=<value>'\. Got health$/],
    [['--http-max-body-size=2147483648'], /--http-max-body-size must be from 1 to 2147483647\.$/],
    [['--http-restricted-api=nope:k=v'], /unknown restricted api 'nope'$/],
    [['--grpc-restricted-protocol=health'], /option format is '<config name>:<setting>=<value>'\. Got health$/],
    [['--grpc-restricted-protocol=nope:k=v'], /unknown restricted protocol 'nope'$/],
    [
      ['--grpc-restricted-protocol=health:k=v', '--grpc-restricted-protocol=metadata,health:k=v'],
      /restricted protocol 'health' can not be specified in multiple config groups$/,
    ],
    [['--api-key-exempt-apis=health'], /'--api-key-exempt-apis' requires setting '--api-key-file' as well\.$/],
    [['--api-key-file=/keys', '--api-key-exempt-apis=healt'], /unknown api 'healt'; there are health, metadata, /],
    [['--http-server-cert=/cert'], 'Error: HTTPS needs both --http-server-cert and --http-server-key.'],
    [['--http-root-cert=/ca'], 'Error: HTTPS needs both --http-server-cert and --http-server-key.'],
    [
      ['--http-restricted-api=health:k=v', '--http-restricted-api=health:k=v'],
      /restricted api 'health' can not be specified in multiple config groups$/,
    ],
    [
      ['--http-port=9000', '--metrics-port=9000'],
      'The server cannot listen to HTTP requests and metrics requests at the same address and port 0.0.0.0:9000',
    ],
  ])('%j', (flags, text) => {
    expect(() => settingsOf(flags)).toThrow(text)
  })

  test('one port for two endpoints is fine on two addresses, or when it is free choice', () => {
    settingsOf(['--http-port=9000', '--metrics-port=9000', '--metrics-address=127.0.0.1'])
    settingsOf(['--http-port=0', '--metrics-port=0'])
    settingsOf(['--http-port=9000', '--metrics-port=9000', '--allow-metrics=false'])
  })
})

describe('notices', () => {
  test('one line for each flag whose feature is missing', () => {
    expect(
      settingsOf(['--grpc-infer-thread-count=4', '--trace-config=level=TIMESTAMPS', '--http-thread-count=4']).notices,
    ).toEqual([
      '--grpc-infer-thread-count has no effect: one event loop does this work',
      '--http-thread-count has no effect: one event loop does this work',
    ])
  })

  test('nothing about flags that are off or at their default', () => {
    expect(
      settingsOf(['--grpc-infer-thread-count=2', '--reuse-grpc-port=false', '--allow-gpu-metrics=true']).notices,
    ).toEqual([])
  })

  test.each(['constructor', '__proto__'])('a cache named %s is one that is not there', (name) => {
    const { cache, notices } = settingsOf([`--cache-config=${name},a=b`])
    expect(Object.entries(cache)).toEqual([[name, { a: 'b' }]])
    expect(notices).toEqual([])
  })

  test('settings that a cache does not have', () => {
    expect(settingsOf(['--cache-config=redis,pool_size=4', '--cache-config=local,size=1024']).notices).toEqual([
      '--cache-config=redis,pool_size has no effect: the cache has no such setting',
    ])
  })

  test('response-cache-byte-size is deprecated', () => {
    expect(settingsOf(['--response-cache-byte-size=8192']).notices).toEqual([
      "'--response-cache-byte-size' has been deprecated! This will default to the 'local' cache implementation with the " +
        "provided byte size for its config. Please use '--cache-config' instead. The equivalent --cache-config CLI args " +
        "would be: '--cache-config=local,size=8192'",
    ])
  })

  test('strict-model-config is deprecated', () => {
    expect(settingsOf(['--strict-model-config=false']).notices).toEqual([
      "'--strict-model-config' has been deprecated! Please use '--disable-auto-complete-config' instead.",
    ])
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
