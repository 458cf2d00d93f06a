import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { defineModel, Server } from '@triton-ts/core'
import { type HttpService, serveMetrics } from '@triton-ts/http-adapter/node'
import { modelRepository, type TemporaryRepository } from '@triton-ts/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

const isThere = (program: string): boolean => spawnSync(program, ['--version']).error === undefined
const hasPrometheus = isThere('prometheus')
const hasPromtool = isThere('promtool')
if (!hasPrometheus || !hasPromtool)
  console.log('skipped: there is no prometheus and promtool (Debian package prometheus)')
const hasParser = spawnSync('python3', ['-c', 'import prometheus_client.openmetrics.parser']).status === 0
if (!hasParser) console.log('skipped: there is no prometheus_client for python3 (PyPI)')

const twice = defineModel({
  config: {
    maxBatchSize: 4,
    metricTags: { team: 'a "b"\\' },
    input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [1] }],
    output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [1] }],
  },
  infer: ({ inputs }) => ({ OUT: inputs.IN?.data ?? [] }),
})
const words = defineModel({
  config: {
    modelTransactionPolicy: { decoupled: true },
    input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [1] }],
    output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [1] }],
  },
  async *infer({ inputs }) {
    for (let word = 0; word < 3; word++) yield { OUT: inputs.IN?.data ?? [] }
  },
})
const labels = 'model="twice"'

let server: Server
let service: HttpService
let files: TemporaryRepository
beforeAll(async () => {
  const metrics = { histogramLatencies: true, summaryLatencies: true, cpu: true, pinnedMemoryPool: 1024, interval: 20 }
  server = await Server.start({ models: { twice, words }, metrics })
  service = await serveMetrics(server, { port: 0 })
  files = await modelRepository()
  for (let i = 0; i < 5; i++) await server.infer('twice', { IN: [1] })
  for await (const _ of server.inferStream('words', { IN: [1] }));
})
afterAll(async () => {
  await service?.close()
  await server?.stop()
  await files?.[Symbol.asyncDispose]()
})

test.skipIf(!hasPromtool)('promtool reads the page; what it would name otherwise are names of Triton', () => {
  const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: server.metrics(), encoding: 'utf8' })
  // 1 is a page that it cannot read, 3 one about which it has something to say.
  expect([0, 3]).toContain(status)
  expect(stderr.split('\n').filter((line) => line !== '' && !line.startsWith('nv_'))).toEqual([])
})

test.skipIf(!hasPromtool)('promtool reads the series of OpenMetrics, too', () => {
  // It knows the text format alone, in which a type has another name and a counter is called as its series.
  const input = server
    .metrics({ format: 'openmetrics' })
    .replace(/^# TYPE (.*) unknown$/gm, '# TYPE $1 untyped')
    .replace(/^# (TYPE|HELP) (triton_ts_responses)(?= )/gm, '# $1 $2_total')
  expect([0, 3]).toContain(spawnSync('promtool', ['check', 'metrics'], { input }).status)
})

test.skipIf(!hasParser)('the strict parser of the Python client reads the page as OpenMetrics', () => {
  const script = `
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families = {family.name: family.type for family in text_string_to_metric_families(sys.stdin.read())}
print(families['nv_inference_count'], families['triton_ts_responses'], families['triton_ts_batch_size'])`
  const input = server.metrics({ format: 'openmetrics' })
  const { stdout, stderr } = spawnSync('python3', ['-c', script], { input, encoding: 'utf8' })
  expect([stdout.trim(), stderr]).toEqual(['unknown counter histogram', ''])
})

/** A Prometheus that scrapes the page every half second, until the test is over. */
class Prometheus {
  readonly #process: ChildProcess
  readonly #address: string

  constructor(directory: string, port: number) {
    this.#address = `127.0.0.1:${port}`
    this.#process = spawn(
      'prometheus',
      [
        `--config.file=${join(directory, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(directory, 'data')}`,
        `--web.listen-address=${this.#address}`,
      ],
      { stdio: 'ignore' },
    )
  }

  async ask<Data>(path: string): Promise<Data> {
    const response = await fetch(`http://${this.#address}/api/v1/${path}`)
    return ((await response.json()) as { readonly data: Data }).data
  }

  /** The value of an expression; NaN where it has none, or Prometheus does not answer yet. */
  async value(query: string): Promise<number> {
    type Answer = { readonly result: readonly { readonly value: readonly [number, string] }[] }
    const answer = await this.ask<Answer>(`query?query=${encodeURIComponent(query)}`).catch(() => undefined)
    return Number(answer?.result[0]?.value[1] ?? Number.NaN)
  }

  async stop(): Promise<void> {
    const exit = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exit
  }
}

test.skipIf(!hasPrometheus)('a real Prometheus scrapes the page, as OpenMetrics, and answers from it', async () => {
  const configuration = `
global: { scrape_interval: 500ms, scrape_timeout: 500ms }
scrape_configs: [{ job_name: triton, static_configs: [{ targets: ['127.0.0.1:${service.port}'] }] }]`
  await files.write({ 'prometheus.yml': configuration })
  const prometheus = new Prometheus(files.path, await freePort())
  try {
    await expect.poll(() => prometheus.value(`nv_inference_request_success{${labels}}`)).toBe(5)
    expect(await prometheus.value('up{job="triton"}')).toBe(1)
    expect(await prometheus.value(`nv_inference_count{${labels},_team="a \\"b\\"\\\\"}`)).toBe(5)
    expect(await prometheus.value(`triton_ts_batch_size_count{${labels}}`)).toBe(5)
    expect(await prometheus.value(`sum(nv_inference_request_failure{${labels}})`)).toBe(0)
    expect(await prometheus.value('nv_inference_first_response_histogram_ms_bucket{model="words",le="+Inf"}')).toBe(1)
    expect(await prometheus.value('triton_ts_responses_total{model="words"}')).toBe(3)
    expect(await prometheus.value(`nv_inference_queue_summary_us{${labels},quantile="0.5"}`)).not.toBeNaN()
    const quantile = `histogram_quantile(0.9, sum by (le) (triton_ts_request_duration_seconds_bucket{${labels}}))`
    expect(await prometheus.value(quantile)).toBeGreaterThan(0)
    expect(await prometheus.value(`triton_ts_saturation{${labels}}`)).toBeLessThanOrEqual(1)
    expect(await prometheus.value('nv_cpu_memory_total_bytes')).toBeGreaterThan(0)
    const types = await prometheus.ask<Record<string, readonly { readonly type: string }[]>>('metadata')
    // OpenMetrics: a counter without _total has no type there.
    expect(types.nv_inference_count?.[0]?.type).toBe('unknown')
    expect(types.triton_ts_batch_size?.[0]?.type).toBe('histogram')
  } finally {
    await prometheus.stop()
  }
})

async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  await new Promise((resolve) => holder.close(resolve))
  return port
}
