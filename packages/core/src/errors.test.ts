import { expect, test } from 'vitest'
import { TritonError } from './errors.ts'

test('from keeps a TritonError and wraps anything else with its cause', () => {
  const known = new TritonError('NOT_FOUND', 'no')
  expect(TritonError.from(known)).toBe(known)
  const cause = new RangeError('too far')
  const wrapped = TritonError.from(cause)
  expect(wrapped).toMatchObject({ code: 'INTERNAL', message: 'too far', cause, name: 'TritonError' })
  expect(TritonError.from('text', 'UNAVAILABLE')).toMatchObject({ code: 'UNAVAILABLE', message: 'text' })
})

test('the reason is spelled as Triton spells codes', () => {
  expect(new TritonError('INVALID_ARG', 'bad shape').reason).toBe('Invalid argument: bad shape')
})

test('instanceof knows an error of another copy of the package', () => {
  const foreign = Object.defineProperty(new Error('other copy'), Symbol.for('triton-ts.error'), { value: true })
  expect(foreign instanceof TritonError).toBe(true)
  expect(new Error('plain') instanceof TritonError).toBe(false)
})
