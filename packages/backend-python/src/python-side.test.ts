import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { pythonTest } from './fixtures/python-rig.ts'

const run = promisify(execFile)
const tests = fileURLToPath(new URL('../python/tests/', import.meta.url))
const timeoutMs = 120_000

const test = pythonTest()
const files = readdirSync(tests).filter((file) => file.startsWith('test_'))

// The Python side alone, with a server in Python at the other end of the socket.
for (const file of files)
  test(`python/tests/${file}`, { timeout: timeoutMs }, async ({ executable }) => {
    const { stderr } = await run(executable, ['-B', '-m', 'unittest', 'discover', '-s', tests, '-p', file], {
      timeout: timeoutMs,
    })
    expect(stderr.trimEnd()).toMatch(/\nOK( \(skipped=\d+\))?$/)
    expect(stderr).not.toContain('Ran 0 tests')
  })
