/** How a Server reaches the memory of GPUs; `cudaMemory()` of `@triton-ts/backend-native` is one. */
export interface CudaMemory {
  /** Whether there are GPUs to reach. */
  isAvailable(): Promise<boolean>
  /**
   * Opens what another process shares.
   * @param handle its `cudaIpcMemHandle_t`, 64 bytes.
   * @throws Error with the driver's reason.
   */
  open(handle: Uint8Array, deviceId: number): Promise<CudaMapping>
}

/** Memory of a GPU that another process shares. */
export interface CudaMapping {
  /** Bytes from its start to the end of the allocation. */
  readonly byteSize: number
  /** Copies to the CPU, and resolves when the bytes are there. `into` stays as it is until then. */
  read(offset: number, into: Uint8Array): Promise<void>
  /** Copies from the CPU, and resolves when the bytes are there. */
  write(offset: number, bytes: Uint8Array): Promise<void>
  /** Called once, when no copy runs. */
  close(): Promise<void>
}
