import { expect, test } from 'vitest'
import { repository } from '../fixtures/server-rig.ts'
import { LocalSource } from './local-source.ts'
import { MappedSource } from './mapped-source.ts'

test.each([
  [{ x: 'a' }, ['b', 'c', 'x']],
  [{ x: 'a', y: 'a' }, ['b', 'c', 'x', 'y']],
  [{ a: 'b', b: 'a' }, ['a', 'b', 'c']],
  [{ b: 'a' }, ['b', 'c']],
  [{ a: 'a' }, ['a', 'b', 'c']],
  [{ x: 'nowhere' }, ['a', 'b', 'c']],
  [{ c: 'nowhere' }, ['a', 'b']],
])('with %j there are the models %j, whoever asks', async (mapping, names) => {
  const { path } = await repository({ 'a/1/': '', 'b/1/': '', 'c/1/': '' })
  const source = new MappedSource(new LocalSource(path), new Map(Object.entries(mapping)))
  expect(await source.models()).toEqual(names)
  expect([...(await source.lookAll()).keys()].sort()).toEqual(names)
  for (const name of ['a', 'b', 'c', 'x', 'y', 'nowhere']) {
    expect((await source.look(name)) !== undefined, name).toBe(names.includes(name))
  }
})
