import type { Backend, ModelContext } from '@triton-ts/core/backend'
import { ExitGuard } from './exit-guard.ts'
import { OnnxModel } from './onnx-model.ts'
import { WorkerExecutor } from './worker-executor.ts'

/** onnxruntime-node, with a session in a thread of its own for each instance. @param cpus of all instances of a model. */
export function workerBackend(cpus: () => Promise<number>): Pick<Backend, 'createModel'> {
  const guard = new ExitGuard()
  return {
    createModel: async (model: ModelContext) =>
      OnnxModel.load(model, (spec, signal) => WorkerExecutor.open(spec, signal, guard), await cpus()),
  }
}
