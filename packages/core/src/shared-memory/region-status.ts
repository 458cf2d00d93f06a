/** A region of POSIX shared memory that is registered. */
export interface SystemRegionStatus {
  readonly name: string
  /** As given to `shm_open`: `/my_inputs` is the file `/dev/shm/my_inputs`. */
  readonly key: string
  /** Bytes from the start of the shared memory to the region. */
  readonly offset: number
  readonly byteSize: number
}

/** A region in the memory of a GPU that is registered. */
export interface CudaRegionStatus {
  readonly name: string
  readonly deviceId: number
  readonly byteSize: number
}

export type RegionKind = 'system' | 'cuda'

/** A region of POSIX shared memory, to be registered. */
export interface SystemRegionOptions {
  readonly name: string
  /** As given to `shm_open`: `/my_inputs` is the file `/dev/shm/my_inputs`. */
  readonly key: string
  /** Bytes from the start of the shared memory to the region. Default 0. */
  readonly offset?: number | bigint | undefined
  readonly byteSize: number | bigint
}

/** A region in the memory of a GPU, to be registered. */
export interface CudaRegionOptions {
  readonly name: string
  /** The `cudaIpcMemHandle_t` of the memory, 64 bytes. */
  readonly rawHandle: Uint8Array
  readonly deviceId: number | bigint
  readonly byteSize: number | bigint
}
