import { readFile } from 'node:fs/promises'
import { defineModel, localCache, Server } from '@triton-ts/core'
import { expect, test } from 'vitest'

const tensors = {
  input: [{ name: 'IN', dataType: 'TYPE_FP32', dims: [1] }],
  output: [{ name: 'OUT', dataType: 'TYPE_FP32', dims: [1] }],
} as const

const cached = defineModel({
  config: { ...tensors, responseCache: { enable: true } },
  infer: ({ inputs }) => ({ OUT: inputs.IN?.data ?? [] }),
})

const streaming = defineModel({
  config: { ...tensors, modelTransactionPolicy: { decoupled: true } },
  async *infer({ inputs }) {
    yield { OUT: inputs.IN?.data ?? [] }
  },
})

const plain = defineModel({ config: tensors, infer: ({ inputs }) => ({ OUT: inputs.IN?.data ?? [] }) })

const gpuMetrics = {
  open: async () => [{ id: 0, uuid: 'GPU-1', name: 'A' }],
  read: async () => [{ utilization: 0, memoryTotal: 1, memoryUsed: 1, powerUsage: 1, powerLimit: 1, energy: 1 }],
}

/** `a_{b,c}_d` is two names. */
function expanded(name: string): string[] {
  const [, before = '', choices = '', after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? []
  return choices === '' ? [name] : choices.split(',').map((choice) => before + choice + after)
}

test('the page about metrics has every family of a page of metrics, with its type, and no other', async () => {
  const text = await readFile(new URL('metrics.md', import.meta.url), 'utf8')
  const told = [...text.matchAll(/^\| `((?:nv|triton_ts)_[^`]+)` *\| (\w+)/gm)].flatMap(([, name = '', type]) =>
    expanded(name).map((one) => `${one} ${type}`),
  )
  await using server = await Server.start({
    models: { cached, streaming, plain },
    cache: localCache({ size: 2 ** 20 }),
    gpuMetrics,
    metrics: { histogramLatencies: true, summaryLatencies: true, cpu: true, pinnedMemoryPool: 1, interval: 1 },
  })
  for (const model of ['cached', 'plain']) await server.infer(model, { IN: [1] })
  for await (const _ of server.inferStream('streaming', { IN: [1] }));
  const shown = (): string[] => {
    const types = [...server.metrics().matchAll(/^# TYPE (\S+) (\w+)$/gm)]
    return types.map(([, name, type]) => `${name} ${type}`).filter((family) => !family.includes('traffic_split'))
  }
  // Processors, GPUs and the event loop are looked at in the background.
  await expect.poll(() => shown().sort()).toEqual(told.sort())
})
