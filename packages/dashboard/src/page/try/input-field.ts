import { element } from '../dom.ts'
import { parseExact } from './exact-json.ts'
import { checked, readElements } from './read-elements.ts'
import { bytesElement, type EnteredInput } from './request-body.ts'
import { shapeFor, shapeText, sizeOf, smallestShape } from './shape.ts'
import { elementSize, type TensorSignature } from './signature.ts'

/** Zeros are written out up to so many. */
const writtenOut = 16
/** Elements that the page makes by itself at most. */
const mostZeros = 2 ** 24

export interface FieldOptions {
  /** For the ids of its parts, one for each field. */
  readonly id: string
  readonly hasBatch: boolean
  readonly isOptional: boolean
  /** Whether the request is JSON alone. */
  readonly isJson: boolean
}

/** The controls of one input. */
export class InputField {
  readonly root: HTMLElement
  readonly #signature: TensorSignature
  readonly #options: FieldOptions
  /** Of one element, which is typed as it is; others are lists. */
  readonly #isSingle: boolean
  readonly #control: HTMLInputElement | HTMLTextAreaElement
  readonly #file: HTMLInputElement | undefined

  constructor(signature: TensorSignature, options: FieldOptions) {
    this.#signature = signature
    this.#options = options
    const { name, datatype, shape } = signature
    const { id, isOptional, isJson, hasBatch } = options
    const free = shape.filter((dim) => dim === -1).length
    this.#isSingle = sizeOf(smallestShape(shape)) === 1 && free <= (hasBatch ? 1 : 0)
    this.#control = this.#makeControl()
    this.#control.id = id
    this.#control.setAttribute('aria-describedby', `${id}-type`)
    const type = `${datatype} · ${shapeText(shape)}${isOptional ? ' · optional' : ''}`
    const head = element('label', { for: id }, name)
    const note = element('span', { class: 'note', id: `${id}-type` }, type)
    const takesFile = !isJson && (datatype === 'UINT8' || datatype === 'BYTES')
    this.#file = takesFile ? element('input', { type: 'file', 'aria-label': `${name} from a file` }) : undefined
    this.root = element('div', { class: 'field' }, head, note, this.#control, ...(this.#file ? [this.#file] : []))
  }

  /** @throws Error for what cannot be sent. @returns undefined for an optional input that is left empty. */
  async entered(): Promise<EnteredInput | undefined> {
    const { name } = this.#signature
    try {
      const file = this.#file?.files?.[0]
      if (file !== undefined) return this.#fromFile(new Uint8Array(await file.arrayBuffer()))
      return this.#fromControl()
    } catch (error) {
      this.#control.focus()
      throw new Error(`${name}: ${(error as Error).message}`)
    }
  }

  #makeControl(): HTMLInputElement | HTMLTextAreaElement {
    const { datatype, shape } = this.#signature
    const smallest = smallestShape(shape)
    if (!this.#isSingle) {
      const size = sizeOf(smallest)
      const zero = datatype === 'BYTES' ? '""' : datatype === 'BOOL' ? 'false' : '0'
      const list = element('textarea', { rows: '2', spellcheck: 'false', placeholder: this.#placeholder(smallest) })
      if (size <= writtenOut && !this.#options.isOptional) list.value = `[${Array(size).fill(zero).join(', ')}]`
      return list
    }
    if (datatype === 'BOOL') return element('input', { type: 'checkbox' })
    if (datatype === 'BYTES') return element('textarea', { rows: '2' })
    const preset = this.#options.isOptional ? '' : '0'
    return element('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', value: preset })
  }

  #placeholder(smallest: readonly number[]): string {
    return this.#options.isOptional ? 'empty: not sent' : `empty: zeros, ${shapeText(smallest)}`
  }

  #fromFile(content: Uint8Array): EnteredInput {
    const { shape, datatype } = this.#signature
    if (datatype !== 'BYTES') return { ...this.#signature, shape: shapeFor(shape, [], content.length), data: content }
    return { ...this.#signature, shape: shapeFor(shape, [], 1), data: bytesElement(content) }
  }

  #fromControl(): EnteredInput | undefined {
    const { datatype, shape } = this.#signature
    const control = this.#control
    if (control.type === 'checkbox') return this.#single((control as HTMLInputElement).checked)
    const text = control.value
    if (text.trim() === '' && this.#options.isOptional) return undefined
    if (this.#isSingle && datatype === 'BYTES') return this.#single(text)
    if (this.#isSingle) return this.#single(numberOf(text))
    if (text.trim() === '') return this.#zeros()
    const { elements, nesting } = readElements(text, datatype)
    return { ...this.#signature, shape: shapeFor(shape, nesting, elements.length), data: elements }
  }

  #single(value: unknown): EnteredInput {
    const { datatype, shape } = this.#signature
    return { ...this.#signature, shape: smallestShape(shape), data: [checked(value, datatype)] }
  }

  #zeros(): EnteredInput {
    const { datatype } = this.#signature
    const shape = smallestShape(this.#signature.shape)
    const size = sizeOf(shape)
    if (size > mostZeros) throw new Error(`${size} zeros are too many for this form`)
    const bytes = elementSize(datatype)
    if (bytes !== undefined && !this.#options.isJson) {
      return { ...this.#signature, shape, data: new Uint8Array(size * bytes) }
    }
    const zero = datatype === 'BYTES' ? '' : datatype === 'BOOL' ? false : 0
    return { ...this.#signature, shape, data: Array<typeof zero>(size).fill(zero) }
  }
}

function numberOf(text: string): unknown {
  try {
    return parseExact(text.trim())
  } catch {
    throw new Error(text.trim() === '' ? 'a number is needed' : `'${text.trim()}' is no number`)
  }
}
