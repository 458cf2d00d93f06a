import type { ModelConfig, ModelConfigInput } from '../config/model-config.ts'
import type { InputValue } from '../request/input-value.ts'
import type { CodeContext } from './code-context.ts'
import type { ModelRequest } from './model-request.ts'

/** Outputs of one response by name: tensors, or values that become what the configuration says of the output. */
export type OutputValues = Readonly<Record<string, InputValue>>

/** What `execute` returns for a request; undefined for one that its response sender answers. */
export type ModelAnswer = OutputValues | Error | undefined

/** The responses of one request of a decoupled model. */
export type AnswerStream = AsyncIterable<OutputValues | Error>

type Later<T> = T | Promise<T>

/**
 * A model in TypeScript: one of `execute` and `infer`, and whatever else it needs. Each instance of the model is an
 * object of its own, made of the class or with these methods, so that `this` may hold what belongs to the instance.
 *
 * What a method throws becomes the answer of the requests that it concerns, or fails the load. A `TritonError` keeps
 * its code and text.
 */
export interface ModelCode {
  /**
   * What the model is: inputs, outputs, batching. It is the configuration of a model in code; beside a configuration
   * file it fills in what that leaves open, of the fields that a backend may complete.
   */
  readonly config?: ModelConfigInput | undefined
  /**
   * Tells what `config` does when it has to be found out first. Fields of the configuration that are set stay as they are.
   * @param config what is known so far.
   */
  autoCompleteConfig?(config: ModelConfig, context: CodeContext): Later<ModelConfigInput | undefined>
  /** Called once before the first request. What it throws fails the load. */
  initialize?(context: CodeContext): Later<void>
  /** Whether the instance can serve, asked for the readiness of the model. Default: yes. */
  isReady?(): Later<boolean>
  /**
   * Answers the requests of one batch: one answer for each, in their order, or nothing where response senders do that,
   * now or later. The instance gets no other batch before it is through.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that answers through senders returns nothing
  execute?(requests: readonly ModelRequest[], context: CodeContext): Later<readonly ModelAnswer[] | void>
  /**
   * Answers one request, where the requests of a batch have nothing to do with each other: they run side by side. A
   * decoupled model may be an async generator: each value that it yields is one response, an error one that failed, and
   * it is not asked for the next before the reader has room.
   */
  infer?(request: ModelRequest, context: CodeContext): Later<ModelAnswer | AnswerStream>
  /** Called once after the last request. What it throws is logged. */
  finalize?(context: CodeContext): Later<void>
}

/**
 * A model as a class: an object for each instance. In code, one more is made to read its `config`; what has to be given
 * back belongs into `initialize`.
 */
export type ModelClass = new () => ModelCode

/**
 * A model as an object, for `new Server({ models: { name: defineModel({...}) } })` or as the default export of `model.ts`.
 * @throws TypeError when it cannot run.
 */
export function defineModel<Code extends ModelCode>(code: Code & ThisType<Code>): Code {
  expectRunnable(code)
  return code
}

/** A new object for an instance. @throws TypeError when it cannot run. */
export function instantiate(code: ModelCode | ModelClass): ModelCode {
  const made: ModelCode = typeof code === 'function' ? new code() : Object.create(code)
  expectRunnable(made)
  return made
}

function expectRunnable(code: ModelCode): void {
  const found = [code.execute, code.infer].filter((method) => typeof method === 'function')
  if (found.length === 1) return
  throw new TypeError(`a model needs either 'execute' or 'infer', this one has ${found.length === 0 ? 'none' : 'both'}`)
}
