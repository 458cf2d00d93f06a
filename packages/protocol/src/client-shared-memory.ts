import { TritonError } from '@triton-ts/core'

/**
 * For front ends whose option `sharedMemory` says that clients may not register and unregister regions.
 * @throws TritonError UNSUPPORTED with Triton's text.
 */
export function expectClientSharedMemory(isAllowed: boolean): void {
  if (isAllowed) return
  const text = "Client shared memory is disabled. Start the server with '--allow-client-shm=true' to enable."
  throw new TritonError('UNSUPPORTED', text)
}
