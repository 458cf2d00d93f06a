import type { ExecutionRequest } from '@triton-ts/core/backend'
import { describe, expect, test } from 'vitest'
import { Lookahead } from './lookahead.ts'

/** A request that counts how often it was kept. */
function request() {
  const heard = { kept: 0 }
  return { heard, request: { keep: () => heard.kept++ } as unknown as ExecutionRequest }
}

/** A batch whose run the test ends. */
function batch() {
  let resolve!: (milliseconds: number) => void
  let reject!: (error: Error) => void
  const executing = new Promise<number>((done, failed) => {
    resolve = done
    reject = failed
  })
  return { executing, resolve, reject }
}

/** One that has seen so many runs of so many milliseconds, one after the other. */
async function seasoned(runs: number, milliseconds: number, isAllowed = () => true): Promise<Lookahead> {
  const lookahead = new Lookahead(isAllowed)
  for (let i = 0; i < runs; i++) {
    const { executing, resolve } = batch()
    const free = lookahead.after(executing, [])
    resolve(milliseconds)
    await free
  }
  return lookahead
}

/** How many batches it takes until it says to wait. */
function mostOf(lookahead: Lookahead): number {
  for (let count = 1; count < 100; count++) {
    if (lookahead.after(batch().executing, []) !== undefined) return count
  }
  return Number.POSITIVE_INFINITY
}

describe('a process gets one batch at a time', () => {
  test('until its runs are known', async () => expect(mostOf(await seasoned(31, 0.01))).toBe(1))

  test('where runs are long', async () => expect(mostOf(await seasoned(100, 5))).toBe(1))

  test('where that is not allowed', async () => expect(mostOf(await seasoned(100, 0.01, () => false))).toBe(1))

  test('and what it runs is not kept, and fails as it does', async () => {
    const lookahead = new Lookahead(() => true)
    const { request: one, heard } = request()
    const { executing, reject } = batch()
    const free = lookahead.after(executing, [one])
    reject(new Error('broke'))
    await expect(free).rejects.toThrow('broke')
    expect(heard.kept).toBe(0)
    expect(lookahead.inFlight).toBe(0)
  })
})

describe('a process whose runs are short', () => {
  test('gets eight, and another one for each that is over; all are kept', async () => {
    const lookahead = await seasoned(32, 0.01)
    const { request: one, heard } = request()
    const batches = Array.from({ length: 8 }, batch)
    const answers = batches.map(({ executing }) => lookahead.after(executing, [one]))
    expect(answers.map((answer) => answer === undefined)).toEqual([...Array(7).fill(true), false])
    expect(heard.kept).toBe(8)
    batches[0]?.resolve(0.01)
    await answers[7]
    expect(lookahead.inFlight).toBe(7)
    expect(lookahead.after(batch().executing, [])).toBeInstanceOf(Promise)
  })

  test('is free when one fails, whose requests have heard it already', async () => {
    const lookahead = await seasoned(32, 0.01)
    const batches = Array.from({ length: 8 }, batch)
    const answers = batches.map(({ executing }) => lookahead.after(executing, []))
    batches[0]?.reject(new Error('broke'))
    await expect(answers[7]).resolves.toBeUndefined()
  })

  test('gets one at a time again when they become long, once the others are over', async () => {
    const lookahead = await seasoned(32, 0.01)
    const batches = Array.from({ length: 8 }, batch)
    const answers = batches.map(({ executing }) => lookahead.after(executing, []))
    let isFree = false
    const free = answers[7]?.then(() => {
      isFree = true
    })
    for (const { resolve } of batches.slice(0, 7)) resolve(100)
    await Promise.all(batches.slice(0, 7).map(({ executing }) => executing))
    expect(isFree).toBe(false)
    batches[7]?.resolve(100)
    await free
    expect(mostOf(lookahead)).toBe(1)
  })
})
