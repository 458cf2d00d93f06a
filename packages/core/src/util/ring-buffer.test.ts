import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RingBuffer } from './ring-buffer.ts'

test('behaves as an array does', () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ do: fc.constant('push' as const), value: fc.nat(20) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('shift' as const), value: fc.constant(0) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), value: fc.nat(20) }) },
    ),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(steps, (list) => {
      const ring = new RingBuffer<number>()
      const model: number[] = []
      for (const step of list) {
        if (step.do === 'push') {
          ring.push(step.value)
          model.push(step.value)
        } else if (step.do === 'shift') expect(ring.shift()).toBe(model.shift())
        else {
          const at = model.indexOf(step.value)
          expect(ring.remove(step.value)).toBe(at >= 0)
          if (at >= 0) model.splice(at, 1)
        }
        expect(ring.length).toBe(model.length)
      }
      while (model.length > 0) expect(ring.shift()).toBe(model.shift())
      expect(ring.shift()).toBeUndefined()
    }),
  )
})
