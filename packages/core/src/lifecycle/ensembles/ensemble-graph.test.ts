import { expect, test } from 'vitest'
import { EnsembleGraph } from './ensemble-graph.ts'

function graph(edges: Record<string, string>): EnsembleGraph {
  const graph = new EnsembleGraph()
  for (const [ensemble, models] of Object.entries(edges)) graph.connect(ensemble, new Set(models))
  return graph
}

test('ensembles that need a model come after those that they need themselves, each once', () => {
  const diamond = graph({ z: 'xy', x: 'a', y: 'ax', other: 'b' })
  expect(diamond.downstream('a')).toEqual(['x', 'y', 'z'])
  expect(diamond.downstream('z')).toEqual([])
})

test('a ladder of ensembles is walked in linear time', () => {
  const edges: Record<string, string> = {}
  const rung = (i: number, side: number) => String.fromCodePoint(0x4e00 + 2 * i + side)
  for (let i = 1; i < 60; i++) {
    for (const side of [0, 1]) edges[rung(i, side)] = rung(i - 1, 0) + rung(i - 1, 1)
  }
  const ladder = graph(edges)
  expect(ladder.downstream(rung(0, 0))).toHaveLength(118)
  expect(ladder.closesCircle(rung(59, 0))).toBeUndefined()
})

test('a circle is found from each of its members, and only from those', () => {
  const circle = graph({ a: 'b', b: 'c', c: 'a', d: 'a', e: 'e' })
  expect(['a', 'b', 'c', 'd', 'e'].map((name) => circle.closesCircle(name))).toEqual(['c', 'a', 'b', undefined, 'e'])
  expect(circle.downstream('b').sort()).toEqual(['a', 'b', 'c', 'd'])
})

test('what is removed needs nothing any more', () => {
  const one = graph({ e: 'ab' })
  expect([one.isNeeded('a'), one.has('e'), [...one.upstream('e')]]).toEqual([true, true, ['a', 'b']])
  one.remove('e')
  expect([one.isNeeded('a'), one.has('e'), [...one.upstream('e')]]).toEqual([false, false, []])
})
