import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const packages = new URL('../../', import.meta.url)
const text = readFileSync(fileURLToPath(new URL('../scenarios.md', import.meta.url)), 'utf8')
const files = [...new Set(text.match(/[\w/.-]+\.test\.ts/g))]

const isThere = (file: string): boolean =>
  ['core/src/', ''].some((folder) => existsSync(fileURLToPath(new URL(folder + file, packages))))

test('the list of scenarios names tests that exist', () => {
  expect(files.length).toBeGreaterThan(20)
  expect(files.filter((file) => !isThere(file))).toEqual([])
})
