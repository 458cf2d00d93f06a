import { describe, expect, test } from 'vitest'
import { TritonError } from '../errors.ts'
import { giveBack, isFree, type ResourceNeed, ResourceTable, take } from './resource-table.ts'

const local = (name: string, count: number) => ({ name, count, global: false })
const global = (name: string, count: number) => ({ name, count, global: true })

/** How many copies of the first resource there are. */
function copies([need]: readonly ResourceNeed[]): number {
  return need?.resource.capacity ?? Number.NaN
}

describe('without limits', () => {
  test('there is as much as the most demanding instance needs, on each device', () => {
    const table = new ResourceTable([])
    const a = table.add([local('R', 4)], 0)
    const b = table.add([local('R', 10)], 0)
    const elsewhere = table.add([local('R', 2)], 1)
    expect([a, b, elsewhere].map(copies)).toEqual([10, 10, 2])
    table.remove(b)
    expect(copies(a)).toBe(4)
  })

  test('a global resource is one for all devices', () => {
    const table = new ResourceTable([])
    const a = table.add([global('R', 3)], 0)
    const b = table.add([global('R', 2)], 1)
    take(a)
    expect(isFree(b)).toBe(false)
    giveBack(a)
    expect(isFree(b)).toBe(true)
  })

  test('what falls below what is taken frees nothing until it is back', () => {
    const table = new ResourceTable([])
    const small = [table.add([local('R', 3)], 0), table.add([local('R', 3)], 0), table.add([local('R', 1)], 0)]
    const large = table.add([local('R', 6)], 0)
    for (const needs of small.slice(0, 2)) take(needs)
    table.remove(large)
    expect(small.map(copies)).toEqual([3, 3, 3])
    giveBack(small[0]!)
    expect(isFree(small[2]!)).toBe(false)
    giveBack(small[1]!)
    expect(isFree(small[2]!)).toBe(true)
  })

  test('of one name given twice by one instance the last holds', () => {
    expect(new ResourceTable([]).add([local('R', 9), local('R', 1)], 0)).toMatchObject([{ count: 1 }])
  })
})

describe('with limits', () => {
  /** `[count, device]` of each limit. */
  test.each<[string, [number, number?][], number]>([
    ['every device', [[7]], 7],
    ['this device', [[7, 1]], 7],
    ['both: the larger', [[7], [9, 1]], 9],
    ['both, the other way', [[9], [7, 1]], 9],
    ['twice the same: the smaller', [[9], [7]], 7],
  ])('%s', (_, given, expected) => {
    const limits = given.map(([count, device]) => ({ name: 'R', count, device }))
    expect(copies(new ResourceTable(limits).add([local('R', 1)], 1))).toBe(expected)
  })

  test('for a global resource every limit of its name counts', () => {
    const limits = [
      { name: 'R', count: 3 },
      { name: 'R', count: 8, device: 5 },
    ]
    expect(copies(new ResourceTable(limits).add([global('R', 1)], 0))).toBe(8)
  })

  test('what needs less than the limit finds the whole limit', () => {
    const table = new ResourceTable([{ name: 'R', count: 10 }])
    const needs = [table.add([local('R', 4)], 0), table.add([local('R', 6)], 0)]
    for (const need of needs) {
      expect(isFree(need)).toBe(true)
      take(need)
    }
  })

  test.each([
    ['too few', [{ name: 'R', count: 3 }], 3],
    ['of another device', [{ name: 'R', count: 10, device: 10 }], 0],
    ['of another name', [{ name: 'S', count: 10 }], 0],
  ])('%s: an instance that could never run is refused', (_, limits, count) => {
    const table = new ResourceTable(limits)
    expect(() => table.add([local('R', 4)], 0)).toThrow(
      new TritonError(
        'INVALID_ARG',
        `Resource count for "R" is limited to ${count} which will prevent scheduling of one or more model instances, ` +
          'the minimum required count is 4',
      ),
    )
  })
})

test('a name cannot be both global and of a device', () => {
  const table = new ResourceTable([])
  const text = 'Resource "R" is present as both global and device-specific resource in the model configuration.'
  const first = table.add([global('R', 1)], 0)
  expect(() => table.add([local('R', 1)], 0)).toThrow(new TritonError('INVALID_ARG', text))
  expect(() => table.add([local('S', 1), global('S', 1)], 0)).toThrow('"S" is present as both')
  table.remove(first)
  expect(copies(table.add([local('R', 1)], 0))).toBe(1)
})
