import { describe, expect, test } from 'vitest'
import { forwardHeaders, headerPattern } from './forwarded-header.ts'
import { RequestMessage } from './request-message.ts'

/** The parameters that come of these headers. */
function forwarded(pattern: RegExp | string, headers: readonly (readonly [string, string])[]): object {
  const message = new RequestMessage()
  message.setParameter('x-a', 'of the body')
  const compiled = headerPattern(pattern)
  if (compiled !== undefined) forwardHeaders(compiled, headers, message)
  return { ...message.parameters }
}

describe('forwarded headers', () => {
  test('are those whose name the pattern matches anywhere, and win over parameters', () => {
    const headers = [['my-x-a', '1'] as const, ['x-a', '2'] as const, ['y', '3'] as const]
    expect(forwarded('X-A', headers)).toEqual({ 'my-x-a': '1', 'x-a': '2' })
    expect(forwarded(/^x/g, headers)).toEqual({ 'x-a': '2' })
    expect(forwarded('(?i)^Y', headers)).toEqual({ 'x-a': 'of the body', y: '3' })
    expect(forwarded('', headers)).toEqual({ 'x-a': 'of the body' })
  })

  test.each(['timeout', 'triton_x', 'headers'])('named %s are refused', (name) => {
    expect(() => forwarded('.*', [[name, '1']])).toThrow(
      `Header '${name}' is reserved for Triton usage and cannot be forwarded.`,
    )
  })

  test('a pattern that is none is refused', () => {
    expect(() => headerPattern('(')).toThrow('headerForwardPattern is not a regular expression: (')
  })
})
