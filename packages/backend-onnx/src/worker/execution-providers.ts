import { type ModelConfig, TritonError } from '@triton-ts/core'
import type { Device } from './device.ts'

/** A part of ONNX Runtime that runs operators somewhere else than on its own CPU kernels. */
export interface ExecutionProvider {
  readonly name: string
  readonly deviceId?: number | undefined
}

/**
 * The providers a configuration asks for, the preferred one first. Accelerators for the GPU count for GPU instances
 * alone, and such instances always have CUDA as a fallback, as in Triton.
 * @throws TritonError INVALID_ARG for a name that Triton does not know.
 */
export function executionProviders(config: ModelConfig, device: Device): ExecutionProvider[] {
  const accelerators = config.optimization?.executionAccelerators
  const providers: ExecutionProvider[] = []
  if (device.kind === 'KIND_GPU') {
    const { deviceId } = device
    for (const { name } of accelerators?.gpuExecutionAccelerator ?? []) {
      if (name === 'tensorrt') providers.push({ name, deviceId })
      else if (name !== 'cuda') throw unknownAccelerator(name)
    }
    providers.push({ name: 'cuda', deviceId })
  }
  for (const { name } of accelerators?.cpuExecutionAccelerator ?? []) {
    if (name !== 'openvino') throw unknownAccelerator(name)
    providers.push({ name })
  }
  return providers
}

function unknownAccelerator(name: string): TritonError {
  return new TritonError('INVALID_ARG', `unknown Execution Accelerator '${name}' is requested`)
}
