import type { Backend, BackendModel, ModelContext } from '@triton-ts/core/backend'
import type { PythonInternals, PythonOptions } from '../python-options.ts'
import { PythonModel } from './python-model.ts'

/** The backend of models in Python; a Python-based backend is one whose models share a `model.py`. */
export class PythonBackend implements Backend {
  readonly name: string
  readonly #file: string | undefined
  readonly #options: PythonOptions
  readonly #internals: PythonInternals

  /** @param file undefined: each version has its own. */
  constructor(name: string, file: string | undefined, options: PythonOptions, internals: PythonInternals) {
    this.name = name
    this.#file = file
    this.#options = options
    this.#internals = internals
  }

  createModel(context: ModelContext): Promise<BackendModel> {
    return PythonModel.open(context, this.#file, this.#options, this.#internals)
  }
}
