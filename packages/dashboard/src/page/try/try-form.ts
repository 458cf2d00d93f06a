import type { Api } from '../data/api.ts'
import { element } from '../dom.ts'
import { formatSeconds } from '../numbers/format.ts'
import { InputField } from './input-field.ts'
import { ParametersField } from './parameters-field.ts'
import { type EnteredInput, generateBody, inferBody } from './request-body.ts'
import { generate, infer, type Target } from './send.ts'
import { eventText, outputsOf } from './show-outputs.ts'
import type { ModelSignature } from './signature.ts'

/** Responses of one request that are shown. */
const shownResponses = 500

/** A form with a field for each input, made from the configuration of a model. */
export class TryForm {
  readonly root: HTMLFormElement
  readonly #api: Api
  readonly #id: string
  readonly #signature: ModelSignature
  readonly #fields: readonly InputField[]
  readonly #version: HTMLSelectElement
  readonly #parameters = new ParametersField('try-parameters')
  readonly #run = element('button', {}, 'Run')
  readonly #stop = element('button', { type: 'button', class: 'quiet', disabled: true }, 'Stop')
  readonly #summary = element('p', { class: 'summary', role: 'status' })
  readonly #results = element('div', { class: 'results' })
  #running: AbortController | undefined

  constructor(api: Api, id: string, signature: ModelSignature) {
    this.#api = api
    this.#id = id
    this.#signature = signature
    const { inputs, hasBatch, isDecoupled, optional, versions } = signature
    this.#fields = inputs.map((input, i) => {
      const isOptional = optional.includes(input.name)
      return new InputField(input, { id: `try-input-${i}`, hasBatch, isOptional, isJson: isDecoupled })
    })
    const choices = versions.map((version) => element('option', { value: version }, version))
    this.#version = element(
      'select',
      { id: 'try-version' },
      element('option', { value: '' }, 'as the server chooses'),
      ...choices,
    )
    this.root = this.#layout()
    this.root.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#submit()
    })
    this.root.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.root.requestSubmit()
    })
    this.#stop.addEventListener('click', () => this.stop())
  }

  /** Gives the request up that runs. */
  stop(): void {
    this.#running?.abort()
  }

  #layout(): HTMLFormElement {
    const version = element(
      'div',
      { class: 'field' },
      element('label', { for: 'try-version' }, 'Version'),
      this.#version,
    )
    return element(
      'form',
      { class: 'try', 'aria-labelledby': 'try-title', novalidate: true },
      element('h3', { id: 'try-title' }, 'Try it'),
      ...this.#fields.map(({ root }) => root),
      this.#parameters.root,
      version,
      element('div', { class: 'actions' }, this.#run, this.#stop),
      this.#summary,
      this.#results,
    )
  }

  async #submit(): Promise<void> {
    if (this.#running !== undefined) return
    const running = new AbortController()
    this.#running = running
    this.#stop.disabled = false
    this.#results.replaceChildren()
    this.#tell('Running …', false)
    const started = performance.now()
    const took = (): string => formatSeconds((performance.now() - started) / 1000)
    try {
      const target = { id: this.#id, version: this.#version.value }
      if (this.#signature.isDecoupled) await this.#stream(target, running.signal, took)
      else await this.#ask(target, running.signal, took)
    } catch (error) {
      this.#tell(running.signal.aborted ? `Stopped after ${took()}.` : (error as Error).message, true)
    } finally {
      this.#running = undefined
      this.#stop.disabled = true
    }
  }

  async #ask(target: Target, signal: AbortSignal, took: () => string): Promise<void> {
    const request = inferBody(await this.#entered(), this.#parameters.entered())
    const { answer, explanation } = await infer(this.#api, target, request, signal)
    const { model_version: version = '' } = answer as { readonly model_version?: string }
    this.#tell(`Version ${version} answered in ${took()}.`, false)
    if (explanation !== '') this.#results.append(element('p', { class: 'explanation' }, `The request ${explanation}.`))
    this.#results.append(...outputsOf(answer))
  }

  async #stream(target: Target, signal: AbortSignal, took: () => string): Promise<void> {
    const request = generateBody(await this.#entered(), this.#parameters.entered())
    const list = element('ol', { class: 'responses', tabindex: '0', 'aria-label': 'Responses' })
    this.#results.append(list)
    let count = 0
    for await (const event of generate(this.#api, target, request, signal)) {
      count++
      if (count <= shownResponses) list.append(element('li', {}, element('pre', {}, `${took()}  ${eventText(event)}`)))
    }
    const more = count > shownResponses ? `, the first ${shownResponses} shown` : ''
    this.#tell(`${count} response${count === 1 ? '' : 's'} in ${took()}${more}.`, false)
  }

  async #entered(): Promise<EnteredInput[]> {
    const entered: EnteredInput[] = []
    for (const field of this.#fields) {
      const input = await field.entered()
      if (input !== undefined) entered.push(input)
    }
    return entered
  }

  #tell(text: string, isError: boolean): void {
    this.#summary.textContent = text
    this.#summary.classList.toggle('error', isError)
  }
}
