import type { LiveModel } from '../../live-snapshot.ts'
import type { Api } from '../data/api.ts'
import type { Point } from '../data/history.ts'
import { element } from '../dom.ts'
import { readSignature } from '../try/read-signature.ts'
import { TryForm } from '../try/try-form.ts'
import { ModelCharts } from './model-charts.ts'
import { modelId } from './model-id.ts'

/** One version: its charts, and a form to try its model. */
export class ModelDetail {
  readonly #parts: readonly HTMLElement[]
  readonly #charts: ModelCharts
  readonly #form = element('div', { class: 'form' })
  readonly #api: Api
  readonly #id: string
  #try: TryForm | undefined
  /** What the form was made of, as JSON. */
  #signature = ''
  #wanted = 0

  constructor(model: LiveModel, api: Api) {
    this.#api = api
    this.#id = modelId(model)
    this.#charts = new ModelCharts(model.isDecoupled)
    const kind = [model.isEnsemble ? 'ensemble' : '', model.isDecoupled ? 'decoupled' : ''].filter(Boolean).join(', ')
    const note = element('span', { class: 'note' }, ` version ${model.version}${kind === '' ? '' : ` · ${kind}`}`)
    const title = element('h2', { id: 'detail-title' }, model.name, note)
    this.#parts = [title, element('div', { class: 'split' }, this.#charts.root, this.#form)]
    void this.reload()
  }

  /** Puts the version into a part of the page. */
  showIn(section: HTMLElement): void {
    section.replaceChildren(...this.#parts)
  }

  show(points: readonly Point[]): void {
    this.#charts.show(points)
  }

  /** The model was loaded again, and may have other inputs; what was typed stays where it has not. */
  async reload(): Promise<void> {
    const wanted = ++this.#wanted
    try {
      const signature = await readSignature(this.#api, this.#id)
      const text = JSON.stringify(signature)
      if (wanted !== this.#wanted || text === this.#signature) return
      this.leave()
      this.#signature = text
      this.#try = new TryForm(this.#api, this.#id, signature)
      this.#form.replaceChildren(this.#try.root)
    } catch (error) {
      if (wanted !== this.#wanted || this.#signature !== '') return
      this.#form.replaceChildren(element('p', { class: 'error' }, `There is no form: ${(error as Error).message}`))
    }
  }

  /** Gives up what runs. */
  leave(): void {
    this.#try?.stop()
  }
}
