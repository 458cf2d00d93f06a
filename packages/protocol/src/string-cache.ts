const slots = 512
const longest = 32

/**
 * Strings by their bytes, for names that come with every request: finding one here is several times faster than making
 * it. A newcomer takes the slot of whatever has the same hash.
 */
export class StringCache {
  readonly #strings: string[] = new Array(slots).fill('')

  /** The text of `bytes` from `start` to `end`. */
  get(bytes: Uint8Array, start: number, end: number, ascii: boolean): string {
    const length = end - start
    if (length === 0) return ''
    if (!ascii) return text(bytes, start, end)
    if (length > longest) return latin1(bytes, start, end)
    let hash = length
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0
    const slot = hash & (slots - 1)
    const known = this.#strings[slot] as string
    if (known.length === length && matches(known, bytes, start)) return known
    const made = latin1(bytes, start, end)
    this.#strings[slot] = made
    return made
  }
}

function matches(known: string, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < known.length; i++) if (known.charCodeAt(i) !== bytes[start + i]) return false
  return true
}

const view = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const text = (bytes: Uint8Array, start: number, end: number): string => view(bytes).toString('utf8', start, end)

const latin1 = (bytes: Uint8Array, start: number, end: number): string => view(bytes).toString('latin1', start, end)
