import { describe, expect, test } from 'vitest'
import type { ParameterValue } from '../index.ts'
import { stickyKeyOf } from './sticky-key.ts'

const parameters: Record<string, ParameterValue> = { user_id: 42, big: 2n ** 60n, yes: true, text: 'u', empty: '' }

describe('the sticky key', () => {
  test.each([
    ['user_id', '42'],
    ['big', '1152921504606846976'],
    ['yes', 'true'],
    ['text', 'u'],
    ['empty', undefined],
    ['USER_ID', '42'],
    ['User_Id', '42'],
    ['nobody', undefined],
    ['constructor', undefined],
  ])('is the parameter %s as text', (name, key) => {
    expect(stickyKeyOf({ parameters }, name)).toBe(key)
  })

  test('of a request comes before its parameter, also when it says that there is none', () => {
    expect(stickyKeyOf({ parameters, stickyKey: 'me' }, 'user_id')).toBe('me')
    expect(stickyKeyOf({ parameters, stickyKey: 0 }, 'user_id')).toBe('0')
    expect(stickyKeyOf({ parameters, stickyKey: '' }, 'user_id')).toBeUndefined()
  })

  test('is none without both', () => {
    expect(stickyKeyOf({}, 'user_id')).toBeUndefined()
  })

  test.each([{}, Symbol('s'), () => 1])('is no %o', (key) => {
    expect(() => stickyKeyOf({ id: '7', stickyKey: key as unknown as string }, 'user_id')).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARG',
        message: `[request id: 7] a sticky key must be a string, a number or a boolean, not ${typeof key}`,
      }),
    )
  })
})
