import type { ModelConfig } from '../config/model-config.ts'
import type { LoadOptions } from '../lifecycle/poll-model.ts'
import type { InferOptions } from '../request/infer-options.ts'
import type { InputValue } from '../request/input-value.ts'
import type { Outputs } from '../response/inference-response.ts'
import type { Logger } from '../util/logger.ts'
import type { ModelMetrics } from './model-metrics.ts'
import type { ModelRequest } from './model-request.ts'

/** Options of a request that a model sends to another one. */
export interface NestedOptions extends Omit<InferOptions, 'onExplain'> {
  /**
   * The request that it serves: it ends when that is cancelled, has what is left of its time and belongs to its trace.
   * Default: the request of `infer`, or the only one of `execute`; a batch of several has to say.
   */
  readonly parent?: ModelRequest | undefined
}

/** What a model knows of itself, and its way to other models. */
export interface CodeContext {
  /** Name of the model. */
  readonly model: string
  readonly version: number
  /** Of this instance: `<group>_<n>`; `''` before there is one. */
  readonly instance: string
  /** Completed, normalised and valid; in `autoCompleteConfig` not yet. */
  readonly config: ModelConfig
  /** `parameters` of the configuration. */
  readonly parameters: Readonly<Record<string, string>>
  /** Absolute path of the model's directory; for a model in code the working directory. */
  readonly directory: string
  /** Absolute path of the version's directory; for a model in code the working directory. */
  readonly versionDirectory: string
  readonly logger: Logger
  /** The model's own metrics, on the Server's page. */
  readonly metrics: ModelMetrics
  /**
   * Runs another model and resolves with its outputs by name, as `server.infer` does.
   * @throws TritonError (as a rejection), CANCELLED when the parent or the signal is aborted.
   */
  infer(model: string, inputs: Readonly<Record<string, InputValue>>, options?: NestedOptions): Promise<Outputs>
  /**
   * The outputs of every response, decoupled or not. Leaving the loop cancels the request, and a loop that is slow holds
   * the model back.
   * @throws TritonError by the first `next`, when the request is not taken.
   */
  inferStream(
    model: string,
    inputs: Readonly<Record<string, InputValue>>,
    options?: NestedOptions,
  ): AsyncIterableIterator<Outputs>
  /** False for a model or version that is not there. @param version default -1: the highest. */
  isModelReady(model: string, version?: number): Promise<boolean>
  /** Loads or reloads another model; needs `modelControl: 'explicit'`. @throws TritonError (as a rejection). */
  load(model: string, options?: LoadOptions): Promise<void>
  /** Takes another model out of service; needs `modelControl: 'explicit'`. @throws TritonError (as a rejection). */
  unload(model: string): Promise<void>
}
