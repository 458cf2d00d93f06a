import { expect, test } from 'vitest'
import { instanceGroup } from './test-support.ts'
import { threadsPerInstance } from './threads-per-instance.ts'

test('instances share the CPUs, and each has at least one thread', () => {
  expect(threadsPerInstance(8, instanceGroup({ count: 2 }))).toBe(4)
  expect(threadsPerInstance(8, [...instanceGroup({ count: 2 }), ...instanceGroup({ count: 1 })])).toBe(2)
  expect(threadsPerInstance(8, instanceGroup({ kind: 'KIND_GPU', count: 2, gpus: [0, 1] }))).toBe(2)
  expect(threadsPerInstance(1.5, instanceGroup({ count: 1 }))).toBe(1)
  expect(threadsPerInstance(0.5, instanceGroup({ count: 4 }))).toBe(1)
  expect(threadsPerInstance(4, [])).toBe(4)
})
