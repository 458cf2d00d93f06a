import type { Backend } from '@triton-ts/core/backend'
import { OnnxModel } from './onnx-model.ts'
import { usableCpus } from './thread-count.ts'
import { ExitGuard } from './worker/exit-guard.ts'
import { WorkerExecutor } from './worker-executor.ts'

export interface OnnxOptions {
  /**
   * CPUs that the instances of one model share; each gets its part as `intra_op_thread_count`, unless the model's
   * configuration sets that. Default: the CPU quota of the process's cgroup, or all CPUs.
   */
  readonly cpus?: number | undefined
}

/**
 * ONNX Runtime, under Triton's name `onnxruntime`. Each instance is a session in a thread of its own, so that neither
 * loading nor running a model blocks the event loop. Nothing is kept between models: one value may serve several servers.
 */
export function onnx(options: OnnxOptions = {}): Backend {
  const guard = new ExitGuard()
  return {
    name: 'onnxruntime',
    createModel: async (model) =>
      OnnxModel.load(
        model,
        (spec, signal) => WorkerExecutor.open(spec, signal, guard),
        options.cpus ?? (await usableCpus()),
      ),
  }
}
