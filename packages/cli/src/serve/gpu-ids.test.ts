import { expect, test } from 'vitest'
import { UsageError } from '../flags/usage-error.ts'
import { gpuIds } from './gpu-ids.ts'

test('ids come once each', () => {
  expect(gpuIds([])).toEqual([])
  expect(gpuIds(['0,2', '1', '2'])).toEqual([0, 2, 1])
})

test.each(['', 'x', '-1', '0,,1', '1.5'])('%j is refused', (list) => {
  expect(() => gpuIds([list])).toThrow(UsageError)
})
