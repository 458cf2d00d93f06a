import { describe, expect, test } from 'vitest'
import type { ExecutionRequest } from '../../backend/backend.ts'
import { SequenceRig } from './fixtures/sequence-rig.ts'

/** A backend that answers at once calls back into the scheduler while that is at work. */
describe.each(['', 'oldest { max_candidate_sequences: 64 }'])('a backend on the event loop, %j', (batching) => {
  const answer = (request: ExecutionRequest): void => request.respond({ outputs: {} })

  test('answers every request of many sequences in order', () => {
    const order: string[] = []
    const rig = new SequenceRig(4, batching, {
      instances: 2,
      runAtOnce(requests) {
        for (const request of requests) {
          if (request.id !== '') order.push(request.id)
          answer(request)
        }
      },
    })
    const names = 'abcdefgh'.split('')
    for (const name of names) rig.step(`+${name}1`)
    for (let i = 2; i < 9; i++) for (const name of names) rig.step(`${name}${i}`)
    for (const name of names) rig.step(`${name}9-`)
    for (const name of names) {
      expect(order.filter((id) => id[0] === name)).toEqual(Array.from({ length: 9 }, (_, i) => `${name}${i + 1}`))
    }
    expect(rig.version.inflight).toBe(0)
    expect(rig.clock.timers).toBe(0)
  })

  test('may run a request again as often as it likes', () => {
    let runs = 0
    const rig = new SequenceRig(4, `${batching} iterative_sequence: true`, {
      runAtOnce(requests) {
        for (const request of requests) {
          if (++runs < 50_000) request.reschedule()
          else answer(request)
        }
      },
    })
    rig.send('a')
    expect(runs).toBe(50_000)
    expect(rig.heard).toEqual(['a ok'])
    expect(rig.version.inflight).toBe(0)
  })

  test('may have its callers send the next request from the answer', async () => {
    const rig = new SequenceRig(4, batching, {
      runAtOnce(requests) {
        for (const request of requests) {
          answer(request)
          const step = Number(request.id.slice(1))
          if (step === 1) rig.steps('a2 a3')
          if (step === 3) rig.step('a4-')
        }
      },
    })
    rig.step('+a1')
    expect(rig.heard).toEqual(['a1 ok', 'a2 ok', 'a3 ok', 'a4 ok'])
  })

  test('that throws fails the batch, and sequences go on', () => {
    let isBroken = true
    const rig = new SequenceRig(4, batching, {
      runAtOnce(requests) {
        if (isBroken) throw new Error('lost')
        for (const request of requests) answer(request)
      },
    })
    rig.step('+a1')
    isBroken = false
    rig.step('a2-')
    expect(rig.heard).toEqual(['a1 lost', 'a2 ok'])
  })
})
