import type { LabelSet } from './metric-sink.ts'

/** The labels of a Prometheus sample, by name; a value may be any text. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.keys(labels)
    .sort()
    .map((name) => `${name}="${escapeLabel(labels[name] as string)}"`)
    .join(',')
}

export const labelSet = (labels: Readonly<Record<string, string>>): LabelSet => ({ labels, text: labelText(labels) })

const escapeLabel = (value: string): string =>
  value.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`))
