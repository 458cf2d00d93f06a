import { element } from '../dom.ts'
import { parseExact } from './exact-json.ts'

/** The parameters of a request, as a JSON object. */
export class ParametersField {
  readonly root: HTMLElement
  readonly #control: HTMLTextAreaElement

  constructor(id: string) {
    this.#control = element('textarea', { id, rows: '2', spellcheck: 'false', placeholder: '{}' })
    this.root = element(
      'div',
      { class: 'field' },
      element('label', { for: id }, 'Parameters'),
      element('span', { class: 'note' }, 'JSON object, optional'),
      this.#control,
    )
  }

  /** @throws Error for what is no object. */
  entered(): Record<string, unknown> {
    const text = this.#control.value.trim()
    if (text === '') return {}
    const value = parsed(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
    this.#control.focus()
    throw new Error('Parameters: not a JSON object; write {"name": 1}')
  }
}

function parsed(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}
