import { expect, test } from 'vitest'
import type { PythonEnvironment } from './python-environment.ts'

/** What became of a client script. */
export interface ClientRun {
  readonly environment: PythonEnvironment
  /** What it printed: `ok <check>`, or a line with the name of the check and why it failed. */
  readonly lines: readonly string[]
}

/**
 * A test for each check of a client script, and one that no check is missing from the list.
 * @param run asked when the tests run.
 */
export function testClientChecks(checks: readonly string[], run: () => ClientRun): void {
  test.for([...checks])('%s', (name, { skip }) => {
    const { environment, lines } = run()
    if ('missing' in environment) skip(environment.missing)
    expect(lines.find((line) => line.split(/[ :]/)[1] === name)).toBe(`ok ${name}`)
  })

  test('every check of the script is listed here', ({ skip }) => {
    const { environment, lines } = run()
    if ('missing' in environment) skip(environment.missing)
    expect(lines.map((line) => line.split(/[ :]/)[1])).toEqual(checks)
  })
}
