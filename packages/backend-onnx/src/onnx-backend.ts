import type { Backend } from '@triton-ts/core/backend'
import { chooseExecutor } from './choose-executor.ts'
import { usableCpus } from './usable-cpus.ts'

export interface OnnxOptions {
  /**
   * CPUs that the instances of one model share, unless its configuration sets `intra_op_thread_count`. Default: the CPU
   * quota of the process's cgroup, or all CPUs.
   */
  readonly cpus?: number | undefined
  /**
   * `native`: the backend library of triton-ts in threads of its own, where all instances of a model share one session;
   * a model does not load where it is not there. `worker`: onnxruntime-node in a worker thread for each instance.
   * Default `auto`: native where it is possible, else worker.
   */
  readonly executor?: 'auto' | 'native' | 'worker' | undefined
  /**
   * Native executor: whether runs that have proved to take microseconds are made in the calling thread, where that is
   * shorter than the way to another one and back. Default true.
   */
  readonly inline?: boolean | undefined
}

export interface OnnxBackend extends Backend {
  /** What runs the models. */
  readonly executor: 'native' | 'worker'
  /** Why models do not run natively, one sentence each; empty when they do. */
  readonly reasons: readonly string[]
}

/**
 * ONNX Runtime, under Triton's name `onnxruntime`. Neither loading nor running a model blocks the event loop. Nothing is
 * kept between models: one value may serve several servers.
 */
export function onnx({ cpus, executor = 'auto', inline = true }: OnnxOptions = {}): OnnxBackend {
  const countCpus = async () => cpus ?? (await usableCpus())
  const { kind, reasons, createModel } = chooseExecutor(executor, countCpus, inline)
  const where =
    kind === 'native' ? 'native threads' : `worker threads${executor === 'auto' ? `: ${reasons.join('; ')}` : ''}`
  return {
    name: 'onnxruntime',
    executor: kind,
    reasons,
    createModel: async (context) => {
      const model = await createModel(context)
      const { name, version, logger } = context
      logger.info({ model: name, version }, `model '${name}' version ${version} runs on ONNX Runtime in ${where}`)
      return model
    },
  }
}
