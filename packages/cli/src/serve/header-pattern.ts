import { headerPattern } from '@triton-ts/protocol'
import type { FlagName } from '../flags/flags.ts'
import { UsageError } from '../flags/usage-error.ts'

/**
 * The pattern of a `--*-header-forward-pattern` flag; undefined for none.
 * @throws UsageError for what is no regular expression.
 */
export function forwardPattern(flag: FlagName, text: string): RegExp | undefined {
  try {
    return headerPattern(text)
  } catch (error) {
    throw new UsageError((error as Error).message, flag)
  }
}
