import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import type { ModelInstance } from '../../instance/model-instance.ts'
import { Sequence } from './sequence.ts'
import { SequenceBacklog } from './sequence-backlog.ts'
import { SequencePlaces } from './sequence-places.ts'

test('knows the sequences in slots and in the backlog, and forgets those that are over', () => {
  const placed: Sequence[] = []
  const places = new SequencePlaces(
    () => ({ slotCount: 1, slotChanged() {}, withdraw: () => false, rejectWaiting() {}, remove: async () => {} }),
    new SequenceBacklog(virtualClock(), () => {}),
    (sequence) => placed.push(sequence),
  )
  places.addInstance({} as ModelInstance)
  const [a, b] = [new Sequence('a'), new Sequence('b')]
  places.place(a)
  places.place(b)
  expect([places.sequences, placed]).toEqual([[a, b], []])
  a.isOpen = false
  places.advance(a)
  expect([places.sequences, placed]).toEqual([[b], [b]])
  b.isOpen = false
  places.advance(b)
  expect(places.sequences).toEqual([])
})
