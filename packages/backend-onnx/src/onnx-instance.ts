import { type ModelConfig, type Tensor, TritonError } from '@triton-ts/core'
import {
  type BackendInstance,
  type ExecutionMarks,
  type ExecutionRequest,
  scatterOutput,
} from '@triton-ts/core/backend'
import { batchFeeds } from './batch-feeds.ts'
import type { OnnxExecutor } from './onnx-executor.ts'
import { responseTensor } from './response-tensor.ts'

/** One execution slot: gathers a batch, runs it and answers. An executor that died is replaced once it is known. */
export class OnnxInstance implements BackendInstance {
  readonly #config: ModelConfig
  readonly #reopen: () => Promise<OnnxExecutor>
  /** As Triton's backend orders its answers. */
  readonly #outputNames: readonly string[]
  readonly #outputs: ReadonlyMap<string, ModelConfig['output'][number]>
  #executor: OnnxExecutor
  #reopening: Promise<void> | undefined

  constructor(config: ModelConfig, executor: OnnxExecutor, reopen: () => Promise<OnnxExecutor>) {
    this.#config = config
    this.#executor = executor
    this.#reopen = reopen
    this.#outputs = new Map(config.output.map((output) => [output.name, output]))
    this.#outputNames = [...this.#outputs.keys()].sort()
  }

  async execute(requests: readonly ExecutionRequest[], marks: ExecutionMarks): Promise<void> {
    this.#checkBatch(requests)
    if (!this.#executor.isAlive) await this.#replaceExecutor()
    const names = this.#outputNames.filter((name) =>
      requests.some((request) => request.requestedOutputs.includes(name)),
    )
    const feeds = batchFeeds(this.#config, requests)
    marks.computeStart()
    const tensors = await this.#run(feeds, names)
    marks.computeEnd()
    this.#respond(requests, names, tensors)
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

  #respond(requests: readonly ExecutionRequest[], names: readonly string[], tensors: readonly Tensor[]): void {
    const answers = requests.map((): Record<string, Tensor> => ({}))
    names.forEach((name, index) => {
      const output = this.#outputs.get(name) as ModelConfig['output'][number]
      const whole = responseTensor(this.#config, output, tensors[index] as Tensor, requests)
      const parts = requests.length === 1 ? [whole] : scatterOutput(requests, whole)
      requests.forEach((request, position) => {
        if (!request.requestedOutputs.includes(name)) return
        const answer = answers[position] as Record<string, Tensor>
        answer[name] = parts[position] as Tensor
      })
    })
    requests.forEach((request, position) => {
      request.respond({ outputs: answers[position] as Record<string, Tensor> })
    })
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
