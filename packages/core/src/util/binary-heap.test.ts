import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BinaryHeap } from './binary-heap.ts'

test('behaves as a sorted array does', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('push' as const), value: fc.nat(1000) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('shift' as const), value: fc.constant(0) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('keep' as const), value: fc.integer({ min: 2, max: 5 }) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
      const heap = new BinaryHeap<number>((a, b) => a < b)
      let sorted: number[] = []
      let count = 0
      for (const { do: action, value } of steps) {
        if (action === 'push') {
          const item = value + count++ / 1000
          heap.push(item)
          sorted = [...sorted, item].sort((a, b) => a - b)
        } else if (action === 'shift') expect(heap.shift()).toBe(sorted.shift())
        else {
          const isKept = (item: number) => Math.floor(item) % value > 0
          heap.keep(isKept)
          sorted = sorted.filter(isKept)
        }
        expect([heap.first, heap.length]).toEqual([sorted[0], sorted.length])
      }
    }),
  )
})

test('an empty heap has nothing', () => {
  const heap = new BinaryHeap<number>((a, b) => a < b)
  heap.push(1)
  heap.clear()
  expect([heap.first, heap.shift(), heap.length]).toEqual([undefined, undefined, 0])
})
