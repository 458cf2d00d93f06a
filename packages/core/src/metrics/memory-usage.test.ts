import { expect, test } from 'vitest'
import { inlineBackend } from '../fixtures/inline-backend.ts'
import { config, started } from '../fixtures/server-rig.ts'
import { addUpMemory } from './memory-usage.ts'
import type { MemoryUsage } from './model-statistics.ts'

test('what is at one place is added up, CPU before GPU and lower ids first', () => {
  const usages: MemoryUsage[] = [
    { type: 'GPU', id: 1, byteSize: 1 },
    { type: 'GPU', id: 0, byteSize: 2 },
    { type: 'CPU_PINNED', id: 0, byteSize: 4 },
    { type: 'CPU', id: 0, byteSize: 8 },
    { type: 'GPU', id: 1, byteSize: 16 },
  ]
  expect(addUpMemory(usages)).toEqual([
    { type: 'CPU', id: 0, byteSize: 8 },
    { type: 'CPU_PINNED', id: 0, byteSize: 4 },
    { type: 'GPU', id: 0, byteSize: 2 },
    { type: 'GPU', id: 1, byteSize: 17 },
  ])
})

test('statistics have what the backend tells at that time; nothing where it fails', async () => {
  let byteSize = 100
  const memoryUsage = (): MemoryUsage[] => {
    if (byteSize === 0) throw new Error('no figures')
    return [{ type: 'CPU', id: 0, byteSize }]
  }
  const backend = inlineBackend('identity', () => ({ model: { memoryUsage } }))
  const server = await started({ 'm/config.pbtxt': config(), 'm/1/': '' }, { backends: [backend] })
  const usage = () => server.statistics('m')[0]?.memoryUsage
  expect(usage()).toEqual([{ type: 'CPU', id: 0, byteSize: 100 }])
  byteSize = 50
  expect(server.model('m').statistics()[0]?.memoryUsage).toEqual([{ type: 'CPU', id: 0, byteSize: 50 }])
  byteSize = 0
  expect(usage()).toEqual([])
})
