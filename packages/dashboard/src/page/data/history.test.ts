import { expect, test } from 'vitest'
import { idleModel, snapshotAt } from '../numbers/fixtures.ts'
import { versionKey } from '../numbers/measure.ts'
import { History } from './history.ts'

const key = versionKey(idleModel)
const at = (time: number, successes: number) => snapshotAt(time, { ...idleModel, successes })
const rates = (history: History): (number | undefined)[] =>
  history.points(key).map(({ activity }) => activity?.throughput)

test('each snapshot after the first is a point, over the five seconds before it', () => {
  const history = new History()
  for (let second = 0; second <= 7; second++) history.add(at(second, second < 2 ? 0 : 10))
  expect(rates(history)).toEqual([0, 5, 10 / 3, 2.5, 2, 2, 0])
  expect(history.total?.throughput).toBe(0)
})

test('a snapshot that is known already is left out', () => {
  const history = new History()
  expect(history.add(at(1, 0))).toBe(true)
  expect(history.add(at(1, 5))).toBe(false)
  expect(history.latest?.models[0]?.successes).toBe(0)
})

test.each([
  ['the page was not seen', 60],
  ['the clock of the server went back', 0],
])('what comes after %s does not go on from what was', (_, next) => {
  const history = new History()
  history.add(at(1, 0))
  history.add(at(2, 10))
  history.add(at(next, 500))
  expect(history.total).toBeUndefined()
  history.add(at(next + 1, 503))
  expect(rates(history)).toEqual([10, undefined, 3])
})

test('a version that is gone leaves a gap, and is forgotten in the end', () => {
  const history = new History()
  history.add(at(1, 0))
  history.add(at(2, 1))
  for (let second = 3; second < 330; second++) history.add(snapshotAt(second))
  expect(history.points(key)).toEqual([])
})

test('five minutes are kept', () => {
  const history = new History()
  for (let second = 0; second < 400; second++) history.add(at(second, second))
  expect(history.points(key)).toHaveLength(300)
})
