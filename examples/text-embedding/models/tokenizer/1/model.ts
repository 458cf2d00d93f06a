import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import type { CodeContext, ModelCode, ModelRequest } from '@triton-ts/core'
import { tokenBatch } from './token-batch.ts'

/** Tokens that MiniLM has learned to read at once; what a text has beyond them is left out. */
const longestText = 256

/** Any `tokenizer.json` of the Hugging Face format will do in place of the one of MiniLM. */
export default class implements ModelCode {
  #tokenizer: Tokenizer | undefined

  async initialize({ versionDirectory }: CodeContext): Promise<void> {
    const definition = await readFile(join(versionDirectory, 'tokenizer.json'), 'utf8')
    this.#tokenizer = new Tokenizer(JSON.parse(definition), {})
  }

  infer({ inputs: { TEXT } }: ModelRequest) {
    return tokenBatch(
      TEXT!.strings().map((text) => this.#tokenizer!.encode(text).ids),
      longestText,
    )
  }
}
