import { expect, test } from 'vitest'
import { InlinePolicy } from './inline-policy.ts'

const bytes = 64

function learned(): InlinePolicy {
  const policy = new InlinePolicy(true)
  for (let i = 0; i < 32; i++) policy.note(bytes, 0.01, 0.01, false)
  return policy
}

test('many short runs on the thread are needed first', () => {
  const policy = new InlinePolicy(true)
  for (let i = 0; i < 31; i++) policy.note(bytes, 0.01, 0.01, false)
  expect(policy.accepts(bytes)).toBe(false)
  policy.note(bytes, 0.01, 0.01, false)
  expect(policy.accepts(bytes)).toBe(true)
})

test('larger inputs than those seen go to the thread', () => {
  expect(learned().accepts(bytes + 1)).toBe(false)
})

test('a run on the thread that is not short starts the learning again', () => {
  const policy = learned()
  policy.note(bytes, 0.06, 0.06, false)
  expect(policy.accepts(bytes)).toBe(false)
})

test('a few longer inline runs are tolerated, more are not', () => {
  const policy = learned()
  for (let i = 0; i < 3; i++) policy.note(bytes, 0.2, 0.2, true)
  expect(policy.accepts(bytes)).toBe(true)
  policy.note(bytes, 0.2, 0.2, true)
  expect(policy.accepts(bytes)).toBe(false)
})

test('the share of longer inline runs counts, not their number', () => {
  const policy = learned()
  for (let i = 0; i < 10; i++) {
    for (let run = 0; run < 99; run++) policy.note(bytes, 0.01, 0.01, true)
    policy.note(bytes, 0.2, 0.2, true)
  }
  expect(policy.accepts(bytes)).toBe(true)
})

test.each([true, false])('after a run above a millisecond 32 times as many are needed; inline: %s', (wasInline) => {
  const policy = learned()
  policy.note(bytes, 1.1, 1.1, wasInline)
  for (let i = 0; i < 32 * 32 - 1; i++) policy.note(bytes, 0.01, 0.01, false)
  expect(policy.accepts(bytes)).toBe(false)
  policy.note(bytes, 0.01, 0.01, false)
  expect(policy.accepts(bytes)).toBe(true)
})

test('switched off it never accepts', () => {
  const policy = new InlinePolicy(false)
  for (let i = 0; i < 100; i++) policy.note(bytes, 0.01, 0.01, false)
  expect(policy.accepts(bytes)).toBe(false)
})

test('the first runs of a model may be long', () => {
  const policy = new InlinePolicy(true)
  policy.note(bytes, 20, 20, false)
  for (let i = 0; i < 32; i++) policy.note(bytes, 0.01, 0.01, false)
  expect(policy.accepts(bytes)).toBe(true)
})

test('a model that waits for something else, without using the processor, is not learned', () => {
  const policy = new InlinePolicy(true)
  for (let i = 0; i < 100; i++) policy.note(bytes, 0.01, 5, false)
  expect(policy.accepts(bytes)).toBe(false)
})

test('nor is a run whose total time is unknown, since all of it failed', () => {
  const policy = new InlinePolicy(true)
  for (let i = 0; i < 100; i++) policy.note(bytes, 0.01, undefined, false)
  expect(policy.accepts(bytes)).toBe(false)
})

test('a run on the thread that others on the machine have delayed does not start the learning again', () => {
  const policy = learned()
  policy.note(bytes, 0.01, 5, false)
  expect(policy.accepts(bytes)).toBe(true)
})

test('a model that begins to wait goes back to its thread', () => {
  const policy = learned()
  for (let i = 0; i < 4; i++) policy.note(bytes, 0.01, 5, true)
  expect(policy.accepts(bytes)).toBe(false)
})
