import { TritonError } from '../errors.ts'

/** How a child process ended. */
export interface ProcessEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/**
 * What everybody hears who waited for the process.
 * @param what `model 'm'`, for instance.
 * @param activities what it was doing, `it loaded` for instance.
 * @param lines the last that it printed to standard error.
 */
export function endError(
  what: string,
  { code, signal }: ProcessEnd,
  activities: readonly string[],
  lines: readonly string[],
): TritonError {
  const manner = signal === null ? `ended with exit code ${code}` : `ended by ${signal}`
  const doing = activities.length > 0 ? ` while ${activities.join(' and ')}` : ''
  const text = `the process of ${what} ${manner}${doing}`
  return new TritonError('INTERNAL', lines.length > 0 ? `${text}:\n${lines.join('\n')}` : text)
}
