import { type FlagName, type FlagValues, flags } from './flags.ts'
import { UsageError } from './usage-error.ts'

export interface ParsedFlags {
  /** Every flag; those that were not given have their default. */
  readonly values: FlagValues
  readonly given: ReadonlySet<FlagName>
}

const names = Object.keys(flags) as FlagName[]

/** Like getopt_long, a beginning that fits one flag alone stands for it. */
function findFlag(written: string): FlagName {
  const found = names.filter((name) => name.startsWith(written))
  const name = names.find((name) => name === written) ?? (found.length === 1 ? found[0] : undefined)
  if (name !== undefined) return name
  throw new UsageError(
    found.length > 1 ? `ambiguous option, could be --${found.join(', --')}` : 'unrecognized option',
    written,
  )
}

/**
 * Reads tritonserver's command line: `--flag=value`, `--flag value`, and `--flag` alone for a boolean that should be true.
 * @throws UsageError
 */
export function parseFlags(args: readonly string[]): ParsedFlags {
  const values: Record<string, unknown> = Object.fromEntries(names.map((name) => [name, flags[name].default]))
  const given = new Set<FlagName>()
  const rest = [...args]
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [, written, inline] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? []
    if (written === undefined) throw new UsageError(`Unexpected argument: ${argument}`)
    const name = findFlag(written)
    const flag = flags[name]
    const text = inline ?? takeValue(name, rest)
    if (flag.argument === '' && inline !== undefined) throw new UsageError("option doesn't allow an argument", name)
    try {
      values[name] = flag.read(text, values[name] as never, name)
    } catch (error) {
      throw new UsageError((error as Error).message, name)
    }
    given.add(name)
  }
  return { values: values as FlagValues, given }
}

/** The next argument where the flag wants one. */
function takeValue(name: FlagName, rest: string[]): string {
  const { argument } = flags[name]
  if (argument === '') return ''
  const isValue = rest[0] !== undefined && !(argument === '<boolean>' && rest[0].startsWith('--'))
  if (isValue) return rest.shift() as string
  if (argument === '<boolean>') return 'true'
  throw new UsageError('option requires an argument', name)
}
