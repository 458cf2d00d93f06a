import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { virtualClock } from '@triton-ts/testing'
import { expect, test, vi } from 'vitest'
import { cleanUp } from '../fixtures/server-rig.ts'
import { silentLogger } from '../util/logger.ts'
import type { GpuMetrics, GpuReading } from './gpu-metrics.ts'
import { HostPoller, type HostPollerParts } from './host-poller.ts'

const idle = 'cpu  0 0 0 100 0 0 0 0\n'
const meminfo = 'MemTotal: 1000 kB\nMemAvailable: 250 kB\n'

async function poller(parts: Partial<HostPollerParts>) {
  const proc = await mkdtemp(join(tmpdir(), 'triton-ts-proc-'))
  cleanUp(() => rm(proc, { recursive: true }))
  await writeFile(join(proc, 'stat'), idle)
  await writeFile(join(proc, 'meminfo'), meminfo)
  const clock = virtualClock()
  const log: string[] = []
  const note = (_: unknown, text?: string) => log.push(text ?? '')
  const logger = { ...silentLogger, info: note, warn: note }
  const host = new HostPoller({ cpu: false, gpu: undefined, interval: 2000, clock, logger, proc, ...parts })
  cleanUp(async () => host.stop())
  await host.start()
  return { host, proc, clock, log }
}

const reading = (energy: number): GpuReading => ({
  utilization: 0.25,
  memoryTotal: 100,
  memoryUsed: 40,
  powerUsage: 70,
  powerLimit: 300,
  energy,
})

test('the processors are looked at in every interval, from the start', async () => {
  const { host, proc, clock } = await poller({ cpu: true })
  await vi.waitFor(() => expect(host.cpu).toBeDefined())
  expect(host.cpu).toEqual({ utilization: 0, memoryTotal: 1024_000, memoryUsed: 768_000 })
  await writeFile(join(proc, 'stat'), 'cpu  30 0 0 110 0 0 0 0\n')
  await clock.advance(2000)
  await vi.waitFor(() => expect(host.cpu?.utilization).toBe(0.75))
  host.stop()
})

test('what cannot be read is logged once', async () => {
  const { clock, log } = await poller({ cpu: true, proc: '/nowhere' })
  await vi.waitFor(() => expect(log).toHaveLength(1))
  await clock.advance(2000)
  await clock.advance(2000)
  expect(log).toEqual(['the metrics of this machine cannot be read'])
})

test('GPUs have the energy that they used since the start', async () => {
  const readings = [5000, 5000, 5600].map(reading)
  const gpu: GpuMetrics = {
    open: async () => [{ id: 0, uuid: 'GPU-1', name: 'A' }],
    read: async () => [readings.shift() ?? reading(5600)],
  }
  const { host, clock, log } = await poller({ gpu })
  expect(log).toEqual(['Collecting metrics for GPU 0: A'])
  expect([host.gpuUuid(0), host.gpuUuid(1)]).toEqual(['GPU-1', undefined])
  await vi.waitFor(() => expect(host.gpus[0]?.reading).toEqual(reading(5000)))
  await clock.advance(2000)
  await clock.advance(2000)
  await vi.waitFor(() => expect(host.gpus[0]).toMatchObject({ uuid: 'GPU-1', energy: 600 }))
})

test('a machine without GPUs has none, and that is logged', async () => {
  const gpu: GpuMetrics = { open: () => Promise.reject(new Error('no driver')), read: async () => [] }
  const { host, log } = await poller({ gpu })
  expect(host.gpus).toEqual([])
  expect(log).toEqual(['GPU metrics will not be available: no driver'])
})

test('a driver that does not answer does not keep the Server from starting', async () => {
  const clock = virtualClock()
  const log: string[] = []
  const logger = { ...silentLogger, info: (_: unknown, text?: string) => void log.push(text ?? '') }
  const gpu: GpuMetrics = { open: () => new Promise(() => {}), read: async () => [] }
  const host = new HostPoller({ cpu: false, gpu, interval: 2000, clock, logger })
  const started = host.start()
  await clock.advance(10_000)
  await started
  expect(host.gpus).toEqual([])
  expect(log).toEqual(['GPU metrics will not be available: they were not found within 10 seconds'])
})
