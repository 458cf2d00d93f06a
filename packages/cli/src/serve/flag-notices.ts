import { flags } from '../flags/flags.ts'
import type { ParsedFlags } from '../flags/parse-flags.ts'

/** One line for each flag that is deprecated or changes nothing. */
export function flagNotices({ values, given }: ParsedFlags): string[] {
  const lines: string[] = []
  if (given.has('strict-model-config')) {
    lines.push("'--strict-model-config' has been deprecated! Please use '--disable-auto-complete-config' instead.")
  }
  if (given.has('response-cache-byte-size')) {
    lines.push(
      "'--response-cache-byte-size' has been deprecated! This will default to the 'local' cache implementation with the " +
        "provided byte size for its config. Please use '--cache-config' instead. The equivalent --cache-config CLI args " +
        `would be: '--cache-config=local,size=${values['response-cache-byte-size']}'`,
    )
  }
  for (const name of given) {
    const { noEffect, default: preset } = flags[name]
    const value: unknown = values[name]
    if (noEffect !== undefined && value !== preset && value !== false)
      lines.push(`--${name} has no effect: ${noEffect}`)
  }
  return lines
}
