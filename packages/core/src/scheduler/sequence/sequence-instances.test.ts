import { describe, expect, test } from 'vitest'
import { SequenceRig } from './fixtures/sequence-rig.ts'

function change(rig: SequenceRig, added: readonly string[], removed: readonly string[]): void {
  const kept = rig.version.instances.filter(({ name }) => !removed.includes(name))
  const surplus = rig.version.instances.filter(({ name }) => removed.includes(name))
  rig.version.changeInstances(rig.version.config, {
    kept,
    surplus,
    added: added.map((name) => rig.createInstance(name)),
  })
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe.each(['', 'oldest { max_candidate_sequences: 2 }'])('instances that come and go, %j', (batching) => {
  test('the slots of a new one are for the backlog first', async () => {
    const rig = new SequenceRig(2, batching)
    rig.steps('+a1 +b1 +c1 +d1 +e1 c2')
    await rig.finishAll()
    change(rig, ['m_1'], [])
    await rig.finishAll()
    expect(rig.heard.toSorted()).toEqual(['a1 ok', 'b1 ok', 'c1 ok', 'c2 ok', 'd1 ok'])
    const ofNew = rig.batches.filter(({ instance }) => instance === 'm_1').flatMap(({ ids }) => ids)
    expect(ofNew.filter((id) => id !== '').toSorted()).toEqual(['c1', 'c2', 'd1'])
    rig.step('a2-')
    await rig.finishAll()
    expect(rig.batches.at(-1)).toMatchObject({ instance: 'm_0' })
    expect(rig.heard).toContain('e1 ok')
  })

  test('free ones take new sequences', async () => {
    const rig = new SequenceRig(2, batching)
    rig.step('+a1')
    change(rig, ['m_1'], [])
    rig.step('+b1')
    await rig.finishAll()
    expect(rig.shown).toEqual(['m_0: a1', 'm_1: b1'])
  })

  test('one that goes takes no new sequence, serves those it has, and is given back then', async () => {
    const rig = new SequenceRig(2, batching, { instances: 2 })
    rig.steps('+a1 +b1')
    await rig.finishAll()
    change(rig, [], ['m_0'])
    rig.steps('+c1 +d1 a2')
    await rig.finishAll()
    const instancesOf = (name: string) =>
      new Set(rig.batches.filter(({ ids }) => ids.some((id) => id[0] === name)).map(({ instance }) => instance))
    expect([...instancesOf('a')]).toEqual(['m_0'])
    expect([...instancesOf('c')]).toEqual(['m_1'])
    expect(rig.disposed).toEqual([])
    rig.step('a3-')
    await turn()
    expect(rig.disposed).toEqual([])
    await rig.finishAll()
    expect(rig.disposed).toEqual(['m_0'])
    expect(rig.heard).not.toContain('d1 ok')
    rig.step('b2-')
    await rig.finishAll()
    expect(rig.heard).toContain('d1 ok')
  })

  test('one without sequences is given back at once', async () => {
    const rig = new SequenceRig(2, batching, { instances: 2 })
    rig.step('+a1')
    change(rig, [], ['m_1'])
    await turn()
    expect(rig.disposed).toEqual(['m_1'])
  })

  test('one that goes does so when its sequences were idle for too long', async () => {
    const rig = new SequenceRig(2, batching)
    rig.step('+a1')
    await rig.finishAll()
    change(rig, ['m_1'], ['m_0'])
    rig.clock.advance(999)
    await turn()
    expect(rig.disposed).toEqual([])
    rig.clock.advance(1)
    await turn()
    expect(rig.disposed).toEqual(['m_0'])
  })

  test('all may go: sequences wait for the next', async () => {
    const rig = new SequenceRig(2, batching)
    change(rig, [], ['m_0'])
    rig.steps('+a1 +b1-')
    expect(rig.batches).toEqual([])
    change(rig, ['m_1'], [])
    await rig.finishAll()
    expect(rig.heard.toSorted()).toEqual(['a1 ok', 'b1 ok'])
    await rig.version.dispose()
    expect(rig.disposed).toEqual(['m_0', 'm_1'])
  })
})
