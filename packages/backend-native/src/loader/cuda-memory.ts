import type { CudaMapping, CudaMemory } from '@triton-ts/core'
import type { Binding } from '../host/binding.ts'
import { loadBinding, usableBinding } from './load-binding.ts'

/**
 * Reaches the memory of GPUs through the CUDA driver of this machine, which is opened when it is first needed: `new
 * Server({ cudaMemory: cudaMemory() })`. Where the native parts or the driver are missing there are no GPUs.
 */
export function cudaMemory(): CudaMemory {
  const binding = usableBinding()
  return {
    async isAvailable() {
      return binding !== undefined && (await binding.cudaProblem()) === ''
    },
    async open(handle, deviceId) {
      const addon = binding ?? loadBinding()
      return mapping(addon, await addon.openCudaMemory(deviceId, handle))
    },
  }
}

function mapping(
  { readCudaMemory, writeCudaMemory, closeCudaMemory }: Binding,
  { memory, byteSize }: Awaited<ReturnType<Binding['openCudaMemory']>>,
): CudaMapping {
  return {
    byteSize,
    read: (offset, into) => readCudaMemory(memory, offset, into),
    write: (offset, bytes) => writeCudaMemory(memory, offset, bytes),
    close: () => closeCudaMemory(memory),
  }
}
