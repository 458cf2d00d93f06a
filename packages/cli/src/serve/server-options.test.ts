import { expect, test } from 'vitest'
import { settingsOf } from './settings.ts'

test('repositories, each once', () => {
  const { server } = settingsOf(['--model-store=/b', '--model-repository=/a', '--model-repository=/a'])
  expect(server.modelRepository).toEqual(['/a', '/b'])
})

test.each(['poll', 'POLL', 'Poll'])('mode %s, and how often', (mode) => {
  const { server, notices } = settingsOf([`--model-control-mode=${mode}`, '--repository-poll-secs', '2'])
  expect(server).toMatchObject({ modelControl: 'poll', repositoryPollSecs: 2 })
  expect(notices).toEqual([])
})

test('namespaces', () => {
  expect(settingsOf(['--model-namespacing=TRUE']).server.modelNamespacing).toBe(true)
})

test('explicit mode with models', () => {
  const { server } = settingsOf(['--model-control-mode=explicit', '--load-model=a', '--load-model=b', '--load-model=a'])
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
