import { element } from '../dom.ts'
import { formatShare } from '../numbers/format.ts'

export interface Bar {
  readonly label: string
  /** 0 to 1. */
  readonly share: number
}

/** Shares of a whole, each as a bar with its number. */
export class Bars {
  readonly root: HTMLElement
  readonly #list = element('ul', { class: 'bars' })
  readonly #empty: string
  #shown = ''

  constructor(title: string, empty: string) {
    this.#empty = empty
    this.root = element('figure', { class: 'chart' }, element('figcaption', {}, title), this.#list)
  }

  show(bars: readonly Bar[]): void {
    const text = JSON.stringify(bars)
    if (text === this.#shown) return
    this.#shown = text
    this.#list.replaceChildren(...bars.map(drawn))
    if (bars.length === 0) this.#list.append(element('li', { class: 'empty' }, this.#empty))
  }
}

function drawn({ label, share }: Bar): HTMLElement {
  const filled = element('i')
  filled.style.width = `${share * 100}%`
  const bar = element('span', { class: 'bar', 'aria-hidden': 'true' }, filled)
  return element('li', {}, element('span', {}, label), bar, element('b', {}, formatShare(share)))
}
