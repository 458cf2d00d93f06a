import { type OpenMetricsContentType, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { config, input, started } from '../fixtures/server-rig.ts'

const files = { 'm/config.pbtxt': config(), 'm/1/': '' }

test('the page of a prom-client registry has all metrics of a Server, until they are taken out', async () => {
  const registry = new Registry()
  const server = await started(files)
  await server.infer('m', input())
  const remove = server.registerMetrics(registry)
  const page = await registry.metrics()
  const own = server.metrics().split('\n')
  const lines = new Set(page.split('\n').map(withSortedLabels))
  for (const line of own) {
    if (!/saturation|event_loop/.test(line)) expect(lines).toContain(withSortedLabels(line))
  }
  remove()
  expect(await registry.metrics()).toBe('\n')
})

test('in OpenMetrics the series have the same names, and counters end as they must', async () => {
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  const server = await started({
    'm/config.pbtxt': config('model_transaction_policy { decoupled: true }'),
    'm/1/': '',
  })
  for await (const _ of server.inferStream('m', input()));
  server.registerMetrics(registry)
  const lines = (await registry.metrics()).split('\n')
  expect(lines).toContain('# TYPE nv_inference_request_success unknown')
  expect(lines).toContain('nv_inference_request_success{model="m",version="1"} 1')
  expect(lines).toContain('# TYPE triton_ts_responses counter')
  expect(lines).toContain('triton_ts_responses_total{model="m",version="1"} 1')
})

test('two Servers need two registries; a registry that refuses one stays as it was', async () => {
  const registry = new Registry()
  const [a, b] = [await started(files), await started(files)]
  a.registerMetrics(registry)
  const before = registry.getMetricsAsArray().length
  expect(() => b.registerMetrics(registry)).toThrow(
    "the registry has a metric 'nv_inference_request_success' already: each Server needs a registry of its own",
  )
  expect(registry.getMetricsAsArray()).toHaveLength(before)
})

test('families of backends are there, too, and new ones from the next page on', async () => {
  const registry = new Registry()
  const families = [{ name: 'mine_total', help: 'Mine', type: 'counter' as const, samples: [{ labels: {}, value: 3 }] }]
  const backend = inlineBackend('identity', ({ collectMetrics }) => {
    collectMetrics(() => families)
    return {}
  })
  const server = await started(files, { backends: [backend] })
  server.registerMetrics(registry)
  expect(await registry.metrics()).toContain('# TYPE mine_total counter\nmine_total 3')
  families.push({ name: 'later', help: 'Later', type: 'counter', samples: [{ labels: {}, value: 1 }] })
  await registry.metrics()
  expect(await registry.metrics()).toContain('later 1')
})

const withSortedLabels = (line: string): string =>
  line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`)
