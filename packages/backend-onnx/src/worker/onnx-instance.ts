import { type ModelConfig, type Tensor, TritonError } from '@triton-ts/core'
import { answerBatch, type BackendInstance, type ExecutionMarks, type ExecutionRequest } from '@triton-ts/core/backend'
import { batchFeeds } from './batch-feeds.ts'
import { ModelOutputs } from './model-outputs.ts'
import type { OnnxExecutor } from './onnx-executor.ts'

/** One execution slot: gathers a batch, runs it and answers. An executor that died is replaced once it is known. */
export class OnnxInstance implements BackendInstance {
  readonly #config: ModelConfig
  readonly #reopen: () => Promise<OnnxExecutor>
  readonly #outputs: ModelOutputs
  #executor: OnnxExecutor
  #reopening: Promise<void> | undefined

  constructor(config: ModelConfig, executor: OnnxExecutor, reopen: () => Promise<OnnxExecutor>) {
    this.#config = config
    this.#executor = executor
    this.#reopen = reopen
    this.#outputs = new ModelOutputs(config)
  }

  async execute(requests: readonly ExecutionRequest[], marks: ExecutionMarks): Promise<void> {
    this.#checkBatch(requests)
    if (!this.#executor.isAlive) await this.#replaceExecutor()
    const names = this.#outputs.namesFor(requests)
    const feeds = batchFeeds(this.#config, requests)
    marks.computeStart()
    const tensors = await this.#run(feeds, names)
    marks.computeEnd()
    answerBatch(this.#config, requests, this.#outputs.byName(names, tensors))
  }

  async isReady(): Promise<boolean> {
    return this.#executor.isAlive
  }

  async dispose(): Promise<void> {
    await this.#reopening?.catch(() => {})
    await this.#executor.dispose()
  }

  async #run(feeds: Parameters<OnnxExecutor['run']>[0], names: readonly string[]): Promise<readonly Tensor[]> {
    try {
      return await this.#executor.run(feeds, names)
    } catch (error) {
      if (!this.#executor.isAlive) this.#replaceExecutor().catch(() => {})
      throw error
    }
  }

  #checkBatch(requests: readonly ExecutionRequest[]): void {
    const { name, maxBatchSize } = this.#config
    const total = maxBatchSize > 0 ? requests.reduce((sum, { batchSize }) => sum + batchSize, 0) : requests.length
    if (total > Math.max(1, maxBatchSize)) {
      throw new TritonError('INTERNAL', `batch size ${total} for '${name}', max allowed is ${maxBatchSize}`)
    }
  }

  #replaceExecutor(): Promise<void> {
    this.#reopening ??= this.#reopen()
      .then((executor) => {
        this.#executor = executor
      })
      .finally(() => {
        this.#reopening = undefined
      })
    return this.#reopening
  }
}
