import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CodeContext, ModelCode, ModelRequest } from '@triton-ts/core'
import { VectorIndex } from './vector-index.ts'

/** Passages of an answer. */
const count = 3

/** Passages whose vectors are asked for at a time: `max_batch_size` of `text_embedding`. */
const largestBatch = 32

export default class implements ModelCode {
  #passages: readonly string[] = []
  #index: VectorIndex<string> | undefined

  async initialize({ versionDirectory }: CodeContext): Promise<void> {
    const handbook = await readFile(join(versionDirectory, 'handbook.md'), 'utf8')
    this.#passages = handbook.trim().split(/(?:\r?\n){2,}/)
  }

  async infer({ inputs: { VECTOR } }: ModelRequest, context: CodeContext) {
    // With the first question and not in `initialize`: the models of a repository load in any order.
    this.#index ??= await this.#embed(context)
    const found = this.#index.nearest(VECTOR!.data as Float32Array, count)
    return { PASSAGE: [found.map(({ item }) => item)], SCORE: [found.map(({ score }) => score)] }
  }

  async #embed(context: CodeContext): Promise<VectorIndex<string>> {
    const index = new VectorIndex<string>()
    for (let i = 0; i < this.#passages.length; i += largestBatch) {
      const batch = this.#passages.slice(i, i + largestBatch)
      const { EMBEDDING } = await context.infer('text_embedding', { TEXT: batch.map((passage) => [passage]) })
      const size = EMBEDDING!.shape[1]!
      for (const [k, passage] of batch.entries()) {
        index.add((EMBEDDING!.data as Float32Array).slice(k * size, (k + 1) * size), passage)
      }
    }
    return index
  }
}
