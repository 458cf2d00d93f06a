import type { ModelConfig } from '@triton-ts/core'

/** Parameters of the CUDA provider that Triton reads from the model's `parameters`. */
const cudaParameters = ['cudnn_conv_algo_search', 'gpu_mem_limit', 'arena_extend_strategy', 'do_copy_in_default_stream']

/**
 * Settings of Triton's ONNX Runtime backend that onnxruntime-node has no way to pass on, each as a sentence for the
 * log. They tune memory and speed; without them the results are the same.
 */
export function unsupportedSettings(config: ModelConfig, backendConfig: Readonly<Record<string, string>>): string[] {
  const { parameters, optimization, instanceGroup } = config
  const ignored: string[] = []
  const shrinkage = 'memory.enable_memory_arena_shrinkage'
  if (parameters[shrinkage] !== undefined) ignored.push(`parameter '${shrinkage}'`)
  if (instanceGroup.some(({ kind }) => kind === 'KIND_GPU')) {
    for (const name of cudaParameters) if (parameters[name] !== undefined) ignored.push(`parameter '${name}'`)
    for (const accelerator of optimization?.executionAccelerators?.gpuExecutionAccelerator ?? []) {
      for (const name of Object.keys(accelerator.parameters)) ignored.push(`${accelerator.name} parameter '${name}'`)
    }
  }
  if (backendConfig['enable-global-threadpool'] !== undefined) ignored.push(`backend config 'enable-global-threadpool'`)
  return ignored.map((setting) => `${setting} is ignored: onnxruntime-node cannot set it`)
}
