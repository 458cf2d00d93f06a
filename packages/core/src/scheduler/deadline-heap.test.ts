import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Deadline, DeadlineHeap } from './deadline-heap.ts'

test('behaves as a sorted array does', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), value: fc.nat(1000) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('drop' as const), value: fc.nat(1000) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('shift' as const), value: fc.nat(1000) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('look' as const), value: fc.constant(0) }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
      const heap = new DeadlineHeap<number>()
      let live: Deadline<number>[] = []
      let count = 0
      for (const { do: action, value } of steps) {
        if (action === 'add') live.push(heap.add(value, count++))
        else if (action === 'drop' && live.length > 0) {
          const [deadline] = live.splice(value % live.length, 1) as [Deadline<number>]
          heap.drop(deadline)
          heap.drop(deadline)
        } else if (action === 'shift') {
          const before = live.filter(({ at }) => at < value).map((deadline) => ({ ...deadline }))
          live = live.filter(({ at }) => at >= value)
          const seen: (number | undefined)[] = []
          for (let item = heap.shiftBefore(value); item !== undefined; item = heap.shiftBefore(value)) seen.push(item)
          expect(seen).toEqual(before.toSorted((a, b) => a.at - b.at || a.order - b.order).map(({ item }) => item))
        } else expect(heap.earliest).toBe(Math.min(...live.map(({ at }) => at)))
        expect(heap.bound).toBeLessThanOrEqual(Math.min(...live.map(({ at }) => at)))
      }
    }),
  )
})

test('a dropped deadline lets go of its item', () => {
  const heap = new DeadlineHeap<object>()
  const deadline = heap.add(1, {})
  heap.drop(deadline)
  expect(deadline.item).toBeUndefined()
  expect(heap.shiftBefore(2)).toBeUndefined()
})

test('without deadlines the earliest is never', () => {
  const heap = new DeadlineHeap<number>()
  heap.add(3, 1)
  heap.clear()
  expect(heap.earliest).toBe(Number.POSITIVE_INFINITY)
  expect(heap.shiftBefore(10)).toBeUndefined()
})
