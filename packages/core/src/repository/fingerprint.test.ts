import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { modelRepository } from '@triton-ts/testing'
import { expect, test } from 'vitest'
import { fingerprint } from './fingerprint.ts'

test('changes with every file and not otherwise', async () => {
  await using repository = await modelRepository({ 'config.pbtxt': 'a', '1/model': 'b' })
  const first = await fingerprint(repository.path)
  expect(await fingerprint(repository.path)).toBe(first)
  await repository.write({ '1/model': 'longer' })
  const second = await fingerprint(repository.path)
  expect(second).not.toBe(first)
  await repository.remove('1/model')
  expect(await fingerprint(repository.path)).not.toBe(second)
})

test('links that lead back come to an end', async () => {
  await using repository = await modelRepository({ '1/model': 'b' })
  await symlink('..', join(repository.path, '1/left'))
  await symlink('..', join(repository.path, '1/right'))
  await symlink('nowhere', join(repository.path, 'broken'))
  expect(await fingerprint(repository.path)).toMatch(/^1\/\(left\/ model:\d+:1 right\/\) broken\?$/)
})
