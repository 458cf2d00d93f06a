import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockList } from './block-list.ts'

const steps = fc.array(
  fc.oneof(
    fc.record({ take: fc.integer({ min: 0, max: 2000 }) }),
    fc.record({ give: fc.nat() }),
    fc.record({ grow: fc.integer({ min: 1, max: 40 }) }),
  ),
  { maxLength: 100 },
)

test('blocks never overlap, lie on multiples of 64, and come back whole', () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      const list = new BlockList()
      const taken: { offset: number; size: number }[] = []
      for (const step of sequence) {
        if ('grow' in step) list.grow(step.grow * 64)
        else if ('give' in step) {
          const [block] = taken.splice(step.give % Math.max(1, taken.length), 1)
          if (block !== undefined) list.free(block.offset)
        } else {
          const offset = list.allocate(step.take)
          if (offset === undefined) continue
          const block = { offset, size: Math.max(1, step.take) }
          expect(offset % 64).toBe(0)
          expect(offset + step.take).toBeLessThanOrEqual(list.size)
          for (const other of taken) {
            expect(block.offset + block.size <= other.offset || other.offset + other.size <= block.offset).toBe(true)
          }
          taken.push(block)
        }
      }
      for (const { offset } of taken) list.free(offset)
      expect(list.blocks).toBe(0)
      if (list.size > 0) expect(list.allocate(list.size)).toBe(0)
    }),
  )
})

test('after growing by what was missing there is room, and giving back twice does nothing', () => {
  const list = new BlockList()
  list.grow(128)
  expect(list.allocate(65)).toBe(0)
  expect(list.allocate(1)).toBeUndefined()
  list.grow(list.missing(1))
  expect(list.allocate(1)).toBe(128)
  list.free(128)
  list.free(128)
  expect(list.missing(100)).toBe(64)
})
