import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { usableCpus } from './usable-cpus.ts'

test('this machine has some CPUs', async () => {
  const cpus = await usableCpus()
  expect(cpus).toBeGreaterThan(0)
  expect(cpus).toBeLessThanOrEqual(availableParallelism())
})
