import { expect, test } from 'vitest'
import { namedSettings } from './named-settings.ts'

const refuse = (value: string): never => {
  throw new Error(`refused ${value}`)
}

test('settings come by name, and the last value of a key holds', () => {
  const values = ['a,x=1', 'b,x=2', 'a,y=3=4,5', 'a,x=6', '__proto__,x=7']
  const expected = Object.fromEntries([
    ['a', { x: '6', y: '3=4,5' }],
    ['b', { x: '2' }],
    ['__proto__', { x: '7' }],
  ])
  expect(namedSettings(values, refuse)).toEqual(expected)
  expect(Object.hasOwn(namedSettings(values, refuse), '__proto__')).toBe(true)
})

test('a name may be left out where there is a default', () => {
  expect(namedSettings(['x=1', 'a,x=2'], refuse, '')).toEqual({ '': { x: '1' }, a: { x: '2' } })
  expect(() => namedSettings(['x=1'], refuse)).toThrow('refused x=1')
})

test.each(['', 'a', 'a,', 'a,x', 'a,x=', ',x=1', '=1'])('%j is refused', (value) => {
  expect(() => namedSettings([value], refuse)).toThrow(`refused ${value}`)
  expect(() => namedSettings([value], refuse, '')).toThrow(`refused ${value}`)
})
