import { describe, expect, test } from 'vitest'
import type { ExecutionRequest } from '../../backend/backend.ts'
import { type Tensor, tensor } from '../../request/tensor.ts'
import { SequenceRig } from './fixtures/sequence-rig.ts'

/** Requests whose states differ in shape or type cannot be joined, though what callers sent could be. */

const states = (more = 'dims: -1') => `state { input_name: "S" output_name: "S_OUT" data_type: TYPE_FP32 ${more} }`
const zeros = (...shape: number[]): Tensor => tensor('FP32', shape, new Float32Array(shape.reduce((a, b) => a * b)))

const stateShapes = (requests: readonly ExecutionRequest[] = []) => requests.map(({ inputs }) => inputs.get('S')?.shape)

/** Answers with the state of the number in the request's id: `a3` makes it three elements. */
const grow = (request: ExecutionRequest): void => {
  const size = Number(/\d+/.exec(request.id)?.[0] ?? 1)
  request.updateState('S_OUT', zeros(1, size))
  request.respond({ outputs: {} })
}

async function finishAll(rig: SequenceRig, answer = grow): Promise<void> {
  for (;;) {
    const [batch] = rig.running
    if (batch === undefined) return
    await batch.finish(answer)
  }
}

describe('the oldest strategy', () => {
  const oldest = `oldest { max_candidate_sequences: 8 } ${states()}`

  test('runs only sequences together whose states have one shape', async () => {
    const rig = new SequenceRig(4, oldest)
    rig.steps('+x1 +a2 +b3 +c2')
    await finishAll(rig)
    rig.steps('x9 a4 c4 b4 a5 c5')
    await finishAll(rig)
    expect(rig.shown).toEqual(['x1', 'a2 b3 c2', 'x9', 'a4 c4', 'b4', 'a5 c5'])
    expect(rig.batches.map(({ requests }) => stateShapes(requests))).toEqual([
      [[1, 1]],
      [
        [1, 1],
        [1, 1],
        [1, 1],
      ],
      [[1, 1]],
      [
        [1, 2],
        [1, 2],
      ],
      [[1, 3]],
      [
        [1, 4],
        [1, 4],
      ],
    ])
    expect(rig.heard.every((line) => line.endsWith('ok'))).toBe(true)
  })

  test('nor with another type, whatever the configuration says of the state', async () => {
    const rig = new SequenceRig(4, `oldest { max_candidate_sequences: 8 } ${states('dims: 1')}`)
    rig.steps('+x1 +a1 +b1')
    await finishAll(rig, (request) => {
      if (request.id === 'b1') request.updateState('S_OUT', tensor('INT32', [1, 1], new Int32Array(1)))
      request.respond({ outputs: {} })
    })
    rig.steps('x2 a2 b2')
    await finishAll(rig)
    expect(rig.shown.slice(2)).toEqual(['x2', 'a2', 'b2'])
  })

  test('START begins with the first shape again', async () => {
    const rig = new SequenceRig(4, oldest)
    rig.steps('+x1 +a5 +b1')
    await finishAll(rig)
    rig.steps('x1 +a1 b1')
    await finishAll(rig)
    expect(rig.shown.slice(2)).toEqual(['x1', 'a1 b1'])
  })
})

describe('the direct strategy', () => {
  test('fills the place of a sequence whose state has another shape; its request runs later', async () => {
    const rig = new SequenceRig(4, states())
    rig.steps('+a2 +b3 +c2')
    await finishAll(rig)
    rig.steps('a4 b4 c4')
    await finishAll(rig)
    expect(rig.shown).toEqual(['a2', '_ b3 c2', 'a4', '_ b4 _', '_ _ c4'])
    rig.steps('a5 b5 c5')
    await finishAll(rig)
    expect(rig.shown.slice(5)).toEqual(['a5', '_ b5 c5'])
  })

  test('gives fillers the shape of the state that the others have', async () => {
    const rig = new SequenceRig(2, states())
    rig.steps('+a2 +b3')
    await finishAll(rig)
    rig.step('b4')
    expect(stateShapes(rig.batches.at(-1)?.requests)).toEqual([
      [1, 3],
      [1, 3],
    ])
  })

  test('a request that has to wait gets the state of its turn', async () => {
    const rig = new SequenceRig(2, states())
    rig.steps('+a1 +b3 +a2')
    await finishAll(rig)
    rig.steps('a1 b1')
    await finishAll(rig)
    rig.steps('a4 +b1')
    await finishAll(rig)
    expect(rig.heard.every((line) => line.endsWith('ok'))).toBe(true)
    for (const { requests } of rig.batches) expect(new Set(stateShapes(requests).map(String)).size).toBe(1)
  })

  test('a sequence that always has requests does not keep one of another shape waiting', async () => {
    const rig = new SequenceRig(2, states())
    rig.steps('+a2 +b3')
    await finishAll(rig)
    rig.steps('a2 b3')
    rig.clock.advance(1)
    rig.steps('a2 a2')
    await finishAll(rig)
    expect(rig.shown.slice(2)).toEqual(['a2', '_ b3', 'a2', 'a2'])
  })
})
