import { flagGroups } from './flags.ts'

const width = 100

function wrap(text: string, indent: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines[lines.length - 1] as string
    if (line !== '' && indent.length + line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.map((line) => indent + line).join('\n')
}

/** What `triton-ts serve --help` prints. */
export function usage(): string {
  const lines = ['Usage: triton-ts serve [options]', '', 'The flags and defaults are those of tritonserver.']
  for (const [group, flags] of Object.entries(flagGroups)) {
    lines.push('', `${group}:`)
    for (const [name, flag] of Object.entries(flags)) {
      const preset = flag.argument && String(flag.default)
      lines.push(`  --${name}${flag.argument && ` ${flag.argument}`}${preset && ` (default ${preset})`}`)
      lines.push(
        wrap(flag.noEffect === undefined ? flag.meaning : `${flag.meaning} No effect: ${flag.noEffect}.`, '        '),
      )
    }
  }
  return lines.join('\n')
}
