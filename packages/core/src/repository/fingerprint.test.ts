import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { type Fingerprint, fingerprint, isSameModel, isSameVersion } from './fingerprint.ts'

test('changes with every file and not otherwise', async () => {
  await using repository = await modelRepository({ 'config.pbtxt': 'a', '1/model': 'b' })
  const look = () => fingerprint(repository.path)
  const first = await look()
  expect(isSameModel(first, await look())).toBe(true)
  await repository.write({ '1/model': 'longer' })
  const second = await look()
  expect(isSameModel(first, second)).toBe(false)
  await repository.remove('1/model')
  expect(isSameModel(second, await look())).toBe(false)
})

test('what Python makes of the files does not count', async () => {
  await using repository = await modelRepository({ '1/model.py': 'a' })
  const before = await fingerprint(repository.path)
  await repository.write({ '__pycache__/a.pyc': 'b', '1/__pycache__/model.pyc': 'b' })
  expect(isSameModel(before, await fingerprint(repository.path))).toBe(true)
})

test.each([
  ['config.pbtxt', true],
  ['configs/special.pbtxt', true],
  ['2/model', true],
  ['20/model', true],
  ['1/model', false],
  ['labels.txt', false],
  ['warmup/data', false],
])('whether version 1 is the same after a change of %s: %s', async (path, same) => {
  await using repository = await modelRepository({ 'config.pbtxt': 'a', '1/model': 'b', '2/model': 'c' })
  const before = await fingerprint(repository.path)
  await repository.write({ [path]: 'longer' })
  expect(isSameVersion(before, await fingerprint(repository.path), 1)).toBe(same)
})

test('links that lead back come to an end', async () => {
  await using repository = await modelRepository({ '1/model': 'b' })
  await symlink('..', join(repository.path, '1/left'))
  await symlink('..', join(repository.path, '1/right'))
  await symlink('nowhere', join(repository.path, 'broken'))
  const entries: Fingerprint = await fingerprint(repository.path)
  expect([...entries.keys()]).toEqual(['1', 'broken'])
  expect(entries.get('1')).toMatch(/^\/\(left\/ model:\d+:1 right\/\)$/)
  expect(entries.get('broken')).toBe('?ENOENT')
})

test('versions that are links to one directory change together', async () => {
  await using repository = await modelRepository({ 'model/1/file': 'a', 'common/file': 'b' })
  const directory = join(repository.path, 'model')
  for (const version of ['2', '3']) await symlink('../common', join(directory, version))
  const before = await fingerprint(directory)
  await repository.write({ 'common/file': 'longer' })
  const after = await fingerprint(directory)
  expect([1, 2, 3].map((version) => isSameVersion(before, after, version))).toEqual([true, false, false])
})

test('what cannot be read is part of it, and differs from what is not there', async () => {
  await using repository = await modelRepository({ file: 'a', '1/model': 'b' })
  const before = await fingerprint(repository.path)
  // Below a file there is nothing to read, whoever asks.
  await symlink('../file/below', join(repository.path, '1/link'))
  const after = await fingerprint(repository.path)
  expect(after.get('1')).toContain('link?ENOTDIR')
  expect(isSameVersion(before, after, 1)).toBe(false)
  await expect(fingerprint(join(repository.path, 'file'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})
