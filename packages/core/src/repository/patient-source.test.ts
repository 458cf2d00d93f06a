import { virtualClock } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { ModelRepository } from './model-repository.ts'
import { PatientSource } from './patient-source.ts'
import type { RepositorySource, SourceModel } from './repository-source.ts'

const model: SourceModel = { fingerprint: new Map(), open: () => Promise.reject(new Error('not opened here')) }

const prompt = (path: string, name: string): RepositorySource => ({
  path,
  models: async () => [name],
  look: async (asked) => (asked === name ? model : undefined),
  lookAll: async () => new Map([[name, model]]),
})

/** A source that answers nothing until it is told to; it knows nothing of signals. */
function hanging(
  path: string,
  name: string,
): { source: RepositorySource; questions: () => number; answer: () => void } {
  const source = prompt(path, name)
  let questions = 0
  let answer!: () => void
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const late = <T>(question: () => Promise<T>): Promise<T> => {
    questions++
    return answered.then(question)
  }
  return {
    source: {
      path,
      models: () => late(() => source.models()),
      look: (asked) => late(() => source.look(asked)),
      lookAll: () => late(() => source.lookAll()),
    },
    questions: () => questions,
    answer,
  }
}

const silence = { code: 'UNAVAILABLE', message: "model repository 'slow' has not answered for 120 s" }

test('a source that hangs holds up the others for two minutes, and then not at all until it answers', async () => {
  const clock = virtualClock()
  const { source, questions, answer } = hanging('slow', 'a')
  const sources = [source, prompt('fast', 'b')].map((one) => new PatientSource(one, clock))
  const repository = new ModelRepository(sources)
  const { signal } = new AbortController()
  const look = repository.lookAll(signal)
  // The other one has answered then.
  await clock.advance(0)
  await clock.advance(120_000)
  const { models, unreadable } = await look
  expect([...models.keys()]).toEqual(['b'])
  expect([...unreadable]).toEqual([['slow', expect.objectContaining(silence)]])
  // The time stands still from here on.
  expect(await repository.find('b')).toMatchObject({ id: 'b', repository: 'fast' })
  expect((await repository.lookAll(signal)).unreadable.size).toBe(1)
  await expect(repository.list()).rejects.toMatchObject(silence)
  expect(questions()).toBe(1)
  answer()
  await clock.advance(0)
  expect((await repository.lookAll(signal)).models.size).toBe(2)
  expect(clock.timers).toBe(0)
})

test('an abort is not held up, and nothing is asked after it', async () => {
  const clock = virtualClock()
  const { source, questions } = hanging('slow', 'a')
  const controller = new AbortController()
  const { signal } = controller
  const patient = new PatientSource(source, clock)
  const look = patient.lookAll(signal)
  controller.abort(new Error('given up'))
  await expect(look).rejects.toThrow('given up')
  await expect(patient.look('a', signal)).rejects.toThrow('given up')
  expect(questions()).toBe(1)
  expect(clock.timers).toBe(0)
})
