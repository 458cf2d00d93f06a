import { RequestMessage } from '@triton-ts/protocol'

/** How an output is to be sent. */
export interface OutputForm {
  readonly binary: boolean
  /** Above 0: the tensor is replaced by its so many best classes. */
  readonly classes: number
}

const jsonForm: OutputForm = { binary: false, classes: 0 }
const binaryForm: OutputForm = { binary: true, classes: 0 }

/** An inference request as it came over HTTP: what the engine is asked, and in which form to answer. */
export class InferMessage extends RequestMessage {
  rawInput: Uint8Array | undefined
  /** Whether the answer is to tell why the request ran when it did. */
  explain: boolean | undefined
  /** The form of outputs that are not listed. */
  binaryOutput = false
  #forms: Map<string, OutputForm> | undefined

  /** Asks for an output; the first form of a name counts. */
  addOutput(name: string, form: OutputForm): void {
    this.#forms ??= new Map()
    if (!this.#forms.has(name)) this.#forms.set(name, form)
  }

  /** To be called when all outputs are known. Triton runs models with the wanted outputs in order of their names. */
  finishOutputs(): void {
    if (this.#forms !== undefined) this.outputs = [...this.#forms.keys()].sort()
  }

  /** Names of the outputs that are to be replaced by their best classes. */
  get classified(): string[] {
    const names: string[] = []
    for (const [name, { classes }] of this.#forms ?? []) if (classes > 0) names.push(name)
    return names
  }

  outputForm(name: string): OutputForm {
    return this.#forms?.get(name) ?? (this.binaryOutput ? binaryForm : jsonForm)
  }
}
