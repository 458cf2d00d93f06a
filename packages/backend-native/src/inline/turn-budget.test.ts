import { expect, test } from 'vitest'
import { TurnBudget } from './turn-budget.ts'

test('what is spent comes back with the next turn of the event loop', async () => {
  const budget = new TurnBudget()
  expect(budget.isSpent).toBe(false)
  budget.spend(0.3)
  await Promise.resolve()
  expect(budget.isSpent).toBe(false)
  budget.spend(0.3)
  await Promise.resolve()
  expect(budget.isSpent).toBe(true)
  await new Promise((resolve) => setImmediate(resolve))
  expect(budget.isSpent).toBe(false)
})
