import { byId } from '../dom.ts'

/** Asks for an API key where the server wants one. */
export class KeyForm {
  readonly #form = byId('key', 'form')
  readonly #value = byId('key-value', 'input')
  readonly #note = byId('key-note', 'p')
  #tried = false

  constructor(onKey: (key: string) => void) {
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      this.#tried = true
      onKey(this.#value.value.trim())
    })
  }

  ask(): void {
    if (this.#tried) this.#note.textContent = 'The server does not accept this key.'
    this.#tried = false
    if (!this.#form.hidden) return
    this.#form.hidden = false
    this.#value.focus()
  }

  leave(): void {
    this.#form.hidden = true
    this.#value.value = ''
    this.#tried = false
  }
}
