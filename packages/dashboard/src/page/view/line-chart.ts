import uPlot from 'uplot'
import { element, setText } from '../dom.ts'

const height = 132
/** Seconds that a chart shows at least. */
const shown = 60

/** Lines over time, with a legend that tells the numbers now, or those under the pointer. */
export class LineChart {
  readonly root: HTMLElement
  readonly #title: string
  readonly #labels: readonly string[]
  readonly #format: (value: number | undefined) => string
  readonly #plot = element('div', { class: 'plot', role: 'img' })
  readonly #values: readonly HTMLElement[]
  #chart: uPlot | undefined
  #data: uPlot.AlignedData

  constructor(title: string, labels: readonly string[], format: (value: number | undefined) => string) {
    this.#title = title
    this.#labels = labels
    this.#format = format
    this.#data = [[], ...labels.map(() => [])]
    this.#values = labels.map(() => element('b', {}, format(undefined)))
    const legend = element('ul', { class: 'legend' })
    for (const [i, label] of labels.entries()) {
      const value = this.#values[i] ?? ''
      legend.append(element('li', {}, element('i', { class: `line-${i}`, 'aria-hidden': 'true' }), `${label} `, value))
    }
    this.root = element('figure', { class: 'chart' }, element('figcaption', {}, title), legend, this.#plot)
    new ResizeObserver(() => this.#resize()).observe(this.#plot)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#draw())
  }

  /** @param times seconds since 1970, ascending; every line has a value for each. */
  show(times: readonly number[], lines: readonly (readonly (number | null)[])[]): void {
    this.#data = [[...times], ...lines.map((line) => [...line])]
    this.#chart?.setData(this.#data)
    this.#legend()
  }

  #resize(): void {
    const width = Math.floor(this.#plot.clientWidth)
    if (width === 0) return
    if (this.#chart === undefined) this.#draw()
    else if (this.#chart.width !== width) this.#chart.setSize({ width, height })
  }

  /** Anew: uPlot keeps the colours that it was given. */
  #draw(): void {
    const width = Math.floor(this.#plot.clientWidth)
    if (width === 0) return
    this.#chart?.destroy()
    const style = getComputedStyle(document.documentElement)
    const color = (name: string): string => style.getPropertyValue(name).trim()
    const axis = {
      stroke: color('--muted'),
      font: '11px system-ui, sans-serif',
      grid: { stroke: color('--line'), width: 1 },
      ticks: { show: false },
      border: { show: false },
    }
    const series = this.#labels.map((_, i) => ({
      stroke: color(`--line-${i}`),
      width: 1.75,
      // Not told apart by colour alone.
      ...(i > 0 && { dash: [5, 3] }),
      points: { show: false },
    }))
    const options: uPlot.Options = {
      width,
      height,
      padding: [6, 22, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false, points: { size: 6 } },
      scales: {
        x: { range: (_, from, to) => [Math.min(from, to - shown), to] },
        y: { range: (_, __, highest) => [0, highest > 0 ? highest * 1.12 : 1] },
      },
      axes: [
        { ...axis, size: 22, space: 70, values: (_, times) => times.map(timeText) },
        { ...axis, size: 58, space: 28, values: (_, values) => values.map((value) => this.#format(value)) },
      ],
      series: [{}, ...series],
      hooks: { setCursor: [() => this.#legend()] },
    }
    this.#chart = new uPlot(options, this.#data, this.#plot)
  }

  #legend(): void {
    const at = this.#chart?.cursor.idx ?? this.#data[0].length - 1
    const texts = this.#labels.map((label, i) => {
      const text = this.#format(this.#data[i + 1]?.[at] ?? undefined)
      const target = this.#values[i]
      if (target !== undefined) setText(target, text)
      return `${label} ${text}`
    })
    this.#plot.setAttribute('aria-label', `${this.#title} over time; now ${texts.join(', ')}`)
  }
}

const timeText = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
