import { expect, test } from 'vitest'
import { modelTable } from './model-table.ts'

test('looks as tritonserver prints it', () => {
  const table = modelTable([
    { name: 'add', version: '1', state: 'READY' },
    { name: 'add', version: '12', state: 'UNAVAILABLE', reason: 'Internal: broken' },
    { name: 'odd', state: 'UNAVAILABLE', reason: 'Invalid argument: one\ntwo' },
  ])
  expect(table).toBe(
    `
+-------+---------+------------------------------------+
| Model | Version | Status                             |
+-------+---------+------------------------------------+
| add   | 1       | READY                              |
| add   | 12      | UNAVAILABLE: Internal: broken      |
| odd   | -       | UNAVAILABLE: Invalid argument: one |
|       |         | two                                |
+-------+---------+------------------------------------+`.trimStart(),
  )
})

test('without models it is the heading alone', () => {
  expect(modelTable([]).split('\n')).toEqual([
    '+-------+---------+--------+',
    '| Model | Version | Status |',
    '+-------+---------+--------+',
    '+-------+---------+--------+',
  ])
})
