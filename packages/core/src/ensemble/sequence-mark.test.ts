import { expect, test } from 'vitest'
import { isSameMark, markFrom, parametersOf } from './sequence-mark.ts'

const mark = { correlationId: 5n, sequenceStart: true, sequenceEnd: false }

test('a response without sequence parameters says nothing of the sequence', () => {
  expect(markFrom({}, mark)).toBeUndefined()
  expect(markFrom({ color: 'blue' }, mark)).toBeUndefined()
})

test('what is not said: the id stays, the flags are false', () => {
  expect(markFrom({ sequence_id: 'a' }, mark)).toEqual({ correlationId: 'a', sequenceStart: false, sequenceEnd: false })
  expect(markFrom({ sequence_end: true }, mark)).toEqual({
    correlationId: 5n,
    sequenceStart: false,
    sequenceEnd: true,
  })
})

test('ids are 64 bits, without sign for requests and with it for parameters', () => {
  const largest = 2n ** 64n - 1n
  expect(markFrom({ sequence_id: -1 }, mark)?.correlationId).toBe(largest)
  expect(parametersOf({ ...mark, correlationId: largest }).sequence_id).toBe(-1)
  expect(parametersOf({ ...mark, correlationId: 2n ** 63n }).sequence_id).toBe(-(2n ** 63n))
  expect(parametersOf(mark)).toEqual({ sequence_id: 5, sequence_start: true, sequence_end: false })
  expect(parametersOf({ correlationId: 0n, sequenceStart: false, sequenceEnd: false })).toEqual({
    sequence_id: 0,
    sequence_start: false,
    sequence_end: false,
  })
})

test('types', () => {
  expect(() => markFrom({ sequence_id: true }, mark)).toThrow(
    "expected parameter 'sequence_id' to be TRITONSERVER_PARAMETER_INT or TRITONSERVER_PARAMETER_STRING",
  )
  expect(() => markFrom({ sequence_start: 1 }, mark)).toThrow(
    "expect parameter 'sequence_start' to be TRITONSERVER_PARAMETER_BOOL",
  )
})

test('marks are compared by what they say', () => {
  expect(isSameMark(mark, { ...mark })).toBe(true)
  expect(isSameMark(mark, { ...mark, sequenceEnd: true })).toBe(false)
})
