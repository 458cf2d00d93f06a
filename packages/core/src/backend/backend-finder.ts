import type { ModelConfig } from '../config/model-config.ts'
import type { Backend } from './backend.ts'

/** Finds backends that nobody gave by name, among the libraries of a directory for instance. */
export interface BackendFinder {
  /**
   * Asked at every load of a version whose backend is not given; keeping what was found is its own business.
   * @param name what the configuration names in its `backend` field.
   * @returns undefined when it has none of that name; the next finder is asked then.
   * @throws TritonError; its text becomes the reason of the failed load.
   */
  find(name: string, model: SoughtModel): Promise<Backend | undefined>
}

/** The model version that needs a backend. */
export interface SoughtModel {
  /** Absolute path of the model's directory. */
  readonly directory: string
  /** Absolute path of the version's directory. */
  readonly versionDirectory: string
  /** Normalised, not yet auto-completed; `runtime` may name the library. */
  readonly config: ModelConfig
}
