import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SequenceBatcher } from './sequence-batcher.ts'
import { SequenceSlot } from './sequence-slot.ts'
import { SlotPool } from './slot-pool.ts'

const batchers = [{ slotCount: 0 }, { slotCount: 0 }] as SequenceBatcher[]
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), batcher: fc.constantFrom(...batchers), number: fc.nat(9) }),
  fc.record({ do: fc.constant('take' as const) }),
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), batcher: fc.constantFrom(...batchers) }) },
)

test('gives the lowest number first, and of equal ones that which came first', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100, size: 'max' }), (steps) => {
      const pool = new SlotPool()
      let free: SequenceSlot[] = []
      for (const next of steps) {
        if (next.do === 'add') {
          const slot = new SequenceSlot(next.batcher, next.number)
          pool.add(slot)
          free.push(slot)
        } else if (next.do === 'remove') {
          pool.removeAll(next.batcher)
          free = free.filter(({ batcher }) => batcher !== next.batcher)
        } else {
          const [lowest] = free.toSorted((a, b) => a.number - b.number)
          expect(pool.take()).toBe(lowest)
          free = free.filter((slot) => slot !== lowest)
        }
      }
    }),
  )
})

test('has the slots of all batchers, the lowest numbers first, however many there may be', () => {
  const [few, many] = [{ slotCount: 2 }, { slotCount: 2 ** 32 - 1 }] as [SequenceBatcher, SequenceBatcher]
  const pool = new SlotPool()
  pool.addAll(few)
  pool.addAll(many)
  const taken = Array.from({ length: 6 }, () => pool.take())
  expect(taken.map((slot) => [slot?.batcher, slot?.number])).toEqual([
    [few, 0],
    [many, 0],
    [few, 1],
    [many, 1],
    [many, 2],
    [many, 3],
  ])
  pool.add(taken[1] as SequenceSlot)
  expect([pool.take(), pool.take()?.number]).toEqual([taken[1], 4])
  pool.removeAll(many)
  expect(pool.take()).toBeUndefined()
})
