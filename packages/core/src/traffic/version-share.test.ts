import { expect, test } from 'vitest'
import { readyShares, versionShares } from './version-share.ts'

const text = "the traffic split of model 'm'"

test('weights are shares, lowest version first, also those of 0', () => {
  expect(versionShares({ 10: 0.5, 2: 0, 1: 3 }, 'm')).toEqual([
    { version: 1, weight: 3 },
    { version: 2, weight: 0 },
    { version: 10, weight: 0.5 },
  ])
})

test('those that are ready have a share, but for weights of 0', () => {
  const shares = versionShares({ 1: 3, 2: 0, 3: 1 }, 'm')
  expect(readyShares(shares, [{ version: 2 }, { version: 3 }, { version: 4 }])).toEqual([{ version: 3, weight: 1 }])
})

test.each<[string, unknown, string]>([
  ['negative', { 1: 1, 2: -1 }, `${text} gives version 2 the weight -1; it must be a number of 0 or more`],
  ['not a number', { 1: Number.NaN }, `${text} gives version 1 the weight NaN; it must be a number of 0 or more`],
  ['infinite', { 1: 1 / 0 }, `${text} gives version 1 the weight Infinity; it must be a number of 0 or more`],
  ['a text', { 1: '9' }, `${text} gives version 1 the weight 9; it must be a number of 0 or more`],
  ['a symbol', { 1: Symbol('s') }, `${text} gives version 1 the weight Symbol(s); it must be a number of 0 or more`],
  ['of no version', { latest: 1 }, `${text} has a weight for 'latest', which is no version`],
  ['of a negative version', { '-1': 1 }, `${text} has a weight for '-1', which is no version`],
  ['of a version with a zero in front', { 1: 1, '01': 1 }, `${text} has a weight for '01', which is no version`],
  ['all 0', { 1: 0, 2: 0 }, `${text} needs a version with a weight above 0`],
  ['of nothing', {}, `${text} needs a version with a weight above 0`],
  ['too large', { 1: 1e308, 2: 1e308 }, `${text} has weights that are too large to be added up`],
  ['missing', undefined, `${text} has no weights; { 1: 90, 2: 10 } for instance`],
  ['null', null, `${text} has no weights; { 1: 90, 2: 10 } for instance`],
])('weights that are %s are refused', (_, weights, message) => {
  expect(() => versionShares(weights as Record<number, number>, 'm')).toThrow(
    expect.objectContaining({ code: 'INVALID_ARG', message }),
  )
})
