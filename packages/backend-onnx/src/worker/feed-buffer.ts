import type { FeedLayout } from './messages.ts'
import type { Feed } from './onnx-executor.ts'

/** Offsets in the buffer are multiples of this, so that every element type is aligned. */
const alignment = 8

/** A buffer much larger than what a run needs is not kept. */
const largestWaste = 4

/** The memory in which inputs travel to the worker. It comes back with the answer and is used again. */
export class FeedBuffer {
  #spare: ArrayBuffer | undefined

  /** Copies all feeds into one buffer, which the caller then transfers. */
  fill(feeds: readonly Feed[]): { buffer: ArrayBuffer; layout: FeedLayout[] } {
    let size = 0
    const layout = feeds.map(({ name, datatype, shape, parts }) => {
      const offset = size
      let byteLength = 0
      for (const part of parts) byteLength += part.byteLength
      size = Math.ceil((offset + byteLength) / alignment) * alignment
      return { name, datatype, shape, offset, byteLength }
    })
    const buffer = this.#take(size)
    const bytes = new Uint8Array(buffer)
    feeds.forEach(({ parts }, index) => {
      let offset = (layout[index] as FeedLayout).offset
      for (const part of parts) {
        bytes.set(part, offset)
        offset += part.byteLength
      }
    })
    return { buffer, layout }
  }

  giveBack(buffer: ArrayBuffer): void {
    this.#spare = buffer
  }

  #take(size: number): ArrayBuffer {
    const spare = this.#spare
    this.#spare = undefined
    const fits = spare !== undefined && spare.byteLength >= size && spare.byteLength <= size * largestWaste
    return fits ? spare : new ArrayBuffer(size)
  }
}
