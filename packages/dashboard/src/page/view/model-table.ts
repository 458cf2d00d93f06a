import type { LiveModel } from '../../live-snapshot.ts'
import { element, setText } from '../dom.ts'
import { formatNumber, formatSeconds, formatShare, none } from '../numbers/format.ts'
import type { Activity } from '../numbers/measure.ts'

/** A line of the table: a version that serves, or one that does not and why. */
export interface ModelRow {
  readonly key: string
  readonly name: string
  readonly version: string
  readonly state: string
  readonly reason: string
  readonly model?: LiveModel | undefined
  readonly activity?: Activity | undefined
}

interface Column {
  readonly title: string
  /** `extra` columns are not on small screens. */
  readonly class: string
  text(row: ModelRow): string
}

const instances = ({ model }: ModelRow): string =>
  model === undefined || model.isEnsemble ? none : `${model.busy} / ${model.instances}`

const columns: readonly Column[] = [
  { title: 'State', class: 'state extra', text: ({ state }) => state },
  { title: 'Req / s', class: 'number', text: ({ activity }) => formatNumber(activity?.throughput) },
  { title: 'Fail / s', class: 'number extra', text: ({ activity }) => formatNumber(activity?.failures) },
  { title: 'p50', class: 'number extra', text: ({ activity }) => formatSeconds(activity?.p50) },
  { title: 'p99', class: 'number', text: ({ activity }) => formatSeconds(activity?.p99) },
  { title: 'Batch', class: 'number extra', text: ({ activity }) => formatNumber(activity?.meanBatch) },
  { title: 'Waiting', class: 'number extra', text: ({ model }) => formatNumber(model?.pending) },
  { title: 'In flight', class: 'number extra', text: ({ model }) => formatNumber(model?.inflight) },
  { title: 'Busy', class: 'number extra', text: instances },
  {
    title: 'Load',
    class: 'number extra',
    text: ({ model }) => (model?.saturation === undefined ? none : formatShare(model.saturation)),
  },
]

interface DrawnRow {
  readonly line: HTMLTableRowElement
  readonly name: HTMLElement
  readonly version: HTMLElement
  readonly state: HTMLElement
  readonly reason: HTMLElement
  readonly choose: HTMLButtonElement
  readonly cells: readonly HTMLTableCellElement[]
}

/** Every version with what it does; choosing one shows more of it. */
export class ModelTable {
  readonly root: HTMLElement
  readonly #body = element('tbody')
  readonly #rows = new Map<string, DrawnRow>()
  readonly #onChoose: (key: string) => void

  constructor(onChoose: (key: string) => void) {
    this.#onChoose = onChoose
    const heads = columns.map((column) => element('th', { scope: 'col', class: column.class }, column.title))
    const head = element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Model'), ...heads))
    this.root = element('table', { 'aria-labelledby': 'models-title' }, head, this.#body)
  }

  show(rows: readonly ModelRow[], chosen: string | undefined): void {
    const keys = new Set(rows.map(({ key }) => key))
    for (const [key, { line }] of this.#rows) {
      if (keys.has(key)) continue
      line.remove()
      this.#rows.delete(key)
    }
    for (const [i, row] of rows.entries()) {
      const drawn = this.#rows.get(row.key) ?? this.#add(row.key)
      setText(drawn.name, row.name)
      setText(drawn.version, row.version === '' ? '' : `v${row.version}`)
      setText(drawn.state, row.model === undefined ? row.state : '')
      setText(drawn.reason, row.reason)
      drawn.choose.disabled = row.model === undefined
      if (row.key === chosen) drawn.choose.setAttribute('aria-current', 'true')
      else drawn.choose.removeAttribute('aria-current')
      drawn.line.dataset.state = row.state.toLowerCase()
      for (const [c, column] of columns.entries()) {
        const cell = drawn.cells[c]
        if (cell !== undefined) setText(cell, column.text(row))
      }
      // Moving a line would take the focus from it.
      if (this.#body.children[i] !== drawn.line) this.#body.insertBefore(drawn.line, this.#body.children[i] ?? null)
    }
  }

  #add(key: string): DrawnRow {
    const name = element('span')
    const version = element('small')
    // Where there is no room for a column.
    const state = element('small', { class: 'instead' })
    const reason = element('small', { class: 'reason' })
    const choose = element('button', { type: 'button', class: 'choose' }, name, ' ', version)
    choose.addEventListener('click', () => this.#onChoose(key))
    const cells = columns.map((column) => element('td', { class: column.class }))
    const line = element('tr', {}, element('th', { scope: 'row' }, choose, state, reason), ...cells)
    const drawn = { line, name, version, state, reason, choose, cells }
    this.#rows.set(key, drawn)
    return drawn
  }
}
