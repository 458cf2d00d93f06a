import { unpackBytes } from '../../request/bytes.ts'
import { type DataType, viewArray } from '../../request/data-type.ts'
import type { Tensor } from '../../request/tensor.ts'
import { shortNumber } from './short-number.ts'

/** Elements that are made text at a time. */
const elementsPerPart = 4096

/** A tensor as it was. It is made text when it is written, since that takes far longer than the copy. */
export class TensorSnapshot {
  readonly activity: string
  readonly name: string
  readonly datatype: DataType
  readonly shape: readonly number[]
  readonly #bytes: Uint8Array

  constructor(activity: string, name: string, tensor: Tensor) {
    this.activity = activity
    this.name = name
    this.datatype = tensor.datatype
    this.shape = tensor.shape
    this.#bytes = new Uint8Array(tensor.currentBytes())
  }

  /** The values as the content of a JSON string, part by part. As in Triton, there are none of FP16 and BF16. */
  *data(): Iterable<string> {
    const { datatype } = this
    if (datatype === 'FP16' || datatype === 'BF16') return
    const data = datatype === 'BYTES' ? unpackBytes(this.#bytes) : viewArray(datatype, this.#bytes)
    const isFloat = datatype === 'FP32' || datatype === 'FP64'
    for (let from = 0; from < data.length; from += elementsPerPart) {
      const texts: string[] = []
      for (const value of data.slice(from, from + elementsPerPart)) {
        if (typeof value === 'object' || typeof value === 'string') texts.push(quoted(value))
        else texts.push(isFloat ? shortNumber(Number(value)) : String(value))
      }
      yield from === 0 ? texts.join(',') : `,${texts.join(',')}`
    }
  }
}

/** An element of a BYTES tensor: a JSON text within a JSON text. */
function quoted(element: string | Uint8Array): string {
  const text = typeof element === 'string' ? element : Buffer.from(element).toString()
  return `\\"${JSON.stringify(text).slice(1, -1)}\\"`
}
