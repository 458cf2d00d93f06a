import type { ExecutionProvider } from '../execution-providers.ts'
import { WorkerError } from './ort-error.ts'

/** @throws WorkerError that names the accelerator when this build of onnxruntime-node was made without it. */
export function checkProviders(
  providers: readonly ExecutionProvider[],
  supported: readonly { readonly name: string }[],
): void {
  const names = supported.map(({ name }) => name)
  for (const { name } of providers) {
    if (names.includes(name)) continue
    throw new WorkerError(
      'INVALID_ARG',
      `unknown Execution Accelerator '${name}' is requested: onnxruntime-node for ${process.platform}-${process.arch} has no ${name} execution provider, it has ${names.join(', ')}`,
    )
  }
}

const displayNames: Readonly<Record<string, string>> = { Cuda: 'cuda', TensorRT: 'tensorrt' }

/** What to do about a provider whose library cannot be loaded; undefined when `text` is about something else. */
export function providerFailure(text: string): WorkerError | undefined {
  const provider = /^OrtSessionOptionsAppendExecutionProvider_(\w+): /.exec(text)?.[1]
  if (provider === undefined) return undefined
  return new WorkerError(
    'UNAVAILABLE',
    `Execution Accelerator '${displayNames[provider] ?? provider}' cannot be used: ${text}. Its libraries are not installed; the install script of onnxruntime-node fetches them, and it needs NVIDIA's CUDA and cuDNN libraries`,
  )
}
