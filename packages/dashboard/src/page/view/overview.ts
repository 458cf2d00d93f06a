import type { LiveSnapshot } from '../../live-snapshot.ts'
import { element, setText } from '../dom.ts'
import { formatNumber, formatSeconds } from '../numbers/format.ts'
import type { Activity } from '../numbers/measure.ts'

type Reading = (snapshot: LiveSnapshot, total: Activity | undefined) => string

const readings: Readonly<Record<string, Reading>> = {
  'Versions ready': ({ models }) => String(models.length),
  'Requests / s': (_, total) => formatNumber(total?.throughput),
  'Failures / s': (_, total) => formatNumber(total?.failures),
  'Latency p50': (_, total) => formatSeconds(total?.p50),
  'Latency p99': (_, total) => formatSeconds(total?.p99),
  Waiting: ({ models }) => formatNumber(models.reduce((sum, { pending }) => sum + pending, 0)),
  'In flight': ({ models }) => formatNumber(models.reduce((sum, { inflight }) => sum + inflight, 0)),
  'Event loop p99': ({ eventLoopDelay }) => formatSeconds(eventLoopDelay?.p99),
}

/** All models together, in a row of numbers. */
export class Overview {
  readonly root = element('dl', { class: 'tiles' })
  readonly #numbers = new Map<Reading, HTMLElement>()

  constructor() {
    for (const [label, reading] of Object.entries(readings)) {
      const number = element('dd')
      this.#numbers.set(reading, number)
      this.root.append(element('div', {}, element('dt', {}, label), number))
    }
  }

  show(snapshot: LiveSnapshot, total: Activity | undefined): void {
    for (const [reading, number] of this.#numbers) setText(number, reading(snapshot, total))
  }
}
