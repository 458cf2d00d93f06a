import type { FamilyHead } from './metric-family.ts'
import type { LabelSet, MetricSink, Step } from './metric-sink.ts'
import { openHead } from './open-head.ts'

/** `prometheus`: text format 0.0.4. `openmetrics`: OpenMetrics 1.0.0. */
export type MetricsFormat = 'prometheus' | 'openmetrics'

/** Writes metrics as text. The series have the same names and labels in both formats. */
export class TextSink implements MetricSink {
  readonly #isOpen: boolean
  /** Pieces that are joined at the end: to make a text of each line would be most of the work. */
  #pieces: string[] = []
  #lines = 0
  #name = ''
  /** Of a family of which nothing was written yet: one without series is left out, as in Triton. */
  #head = ''

  constructor(format: MetricsFormat) {
    this.#isOpen = format === 'openmetrics'
  }

  /** How many lines wait to be taken. */
  get lines(): number {
    return this.#lines
  }

  /** What was written since the last time. */
  take(): string {
    const text = this.#pieces.join('')
    this.#pieces = []
    this.#lines = 0
    return text
  }

  /** Nothing follows. */
  end(): void {
    if (this.#isOpen) this.#pieces.push('# EOF\n')
  }

  family(head: FamilyHead): void {
    this.#name = head.name
    const { name, type } = this.#isOpen ? openHead(head) : head
    const help = head.help.replace(this.#isOpen ? /[\\\n"]/g : /[\\\n]/g, (char) =>
      char === '\n' ? '\\n' : `\\${char}`,
    )
    this.#head = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
  }

  value({ text }: LabelSet, value: number): void {
    this.#line(this.#name, text, value)
  }

  histogram({ text }: LabelSet, steps: Iterable<Step>, sum: number, count: number): void {
    const name = `${this.#name}_bucket`
    for (const [le, below] of steps) this.#line(name, withLabel(text, 'le', valueText(le)), below)
    this.#line(name, withLabel(text, 'le', '+Inf'), count)
    this.#totals(text, sum, count)
  }

  summary({ text }: LabelSet, quantiles: Iterable<Step>, sum: number, count: number): void {
    for (const [quantile, value] of quantiles) {
      this.#line(this.#name, withLabel(text, 'quantile', valueText(quantile)), value)
    }
    this.#totals(text, sum, count)
  }

  #totals(labels: string, sum: number, count: number): void {
    this.#line(`${this.#name}_sum`, labels, sum)
    this.#line(`${this.#name}_count`, labels, count)
  }

  #line(name: string, labels: string, value: number): void {
    this.#lines++
    if (this.#head !== '') {
      this.#pieces.push(this.#head)
      this.#head = ''
    }
    if (labels === '') this.#pieces.push(name, ' ', valueText(value), '\n')
    else if (value === 0) this.#pieces.push(name, '{', labels, '} 0\n')
    else this.#pieces.push(name, '{', labels, '} ', valueText(value), '\n')
  }
}

const withLabel = (labels: string, name: string, value: string): string =>
  labels === '' ? `${name}="${value}"` : `${labels},${name}="${value}"`

function valueText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
