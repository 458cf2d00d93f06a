import { TritonError } from '../errors.ts'
import type { Logger } from '../util/logger.ts'
import { byteCount } from './byte-count.ts'
import type { CudaMapping, CudaMemory } from './cuda-memory.ts'
import type { Region } from './region.ts'
import type { CudaRegionOptions, CudaRegionStatus } from './region-status.ts'

/** Bytes of a `cudaIpcMemHandle_t`. */
const handleSize = 64

/** A region in the memory of a GPU. Tensors are copied between it and the memory of the CPU. */
export class CudaRegion implements Region {
  readonly kind = 'cuda'
  readonly status: CudaRegionStatus
  readonly #mapping: CudaMapping
  readonly #logger: Logger

  private constructor(status: CudaRegionStatus, mapping: CudaMapping, logger: Logger) {
    this.status = status
    this.#mapping = mapping
    this.#logger = logger
  }

  /** @throws TritonError INVALID_ARG with Triton's texts; the driver's reason is logged. */
  static async open(options: CudaRegionOptions, cuda: CudaMemory, logger: Logger): Promise<CudaRegion> {
    const { name, rawHandle } = options
    if (rawHandle.byteLength !== handleSize) {
      throw new TritonError('INVALID_ARG', "'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t")
    }
    const refused = new TritonError('INVALID_ARG', `failed to register shared memory region '${name}': invalid args`)
    const deviceId = byteCount(options.deviceId)
    const byteSize = byteCount(options.byteSize)
    if (deviceId === undefined || byteSize === undefined || byteSize === 0) throw refused
    let mapping: CudaMapping
    try {
      mapping = await cuda.open(rawHandle, deviceId)
    } catch (err) {
      logger.error({ err }, `failed to open CUDA IPC handle of region '${name}'`)
      throw refused
    }
    const region = new CudaRegion({ name, deviceId, byteSize }, mapping, logger)
    if (byteSize <= mapping.byteSize) return region
    region.dispose()
    throw refused
  }

  async read(offset: number, into: Uint8Array): Promise<void> {
    try {
      await this.#mapping.read(offset, into)
    } catch (error) {
      throw this.#unreachable(error)
    }
  }

  async write(offset: number, bytes: Uint8Array): Promise<void> {
    try {
      await this.#mapping.write(offset, bytes)
    } catch (error) {
      throw this.#unreachable(error)
    }
  }

  dispose(): void {
    this.#mapping.close().catch((err: unknown) => {
      this.#logger.error({ err }, `failed to close CUDA IPC handle of region '${this.status.name}'`)
    })
  }

  #unreachable(cause: unknown): TritonError {
    const { name, deviceId } = this.status
    return new TritonError('UNAVAILABLE', `CUDA shared memory region '${name}' of GPU ${deviceId} cannot be reached`, {
      cause,
    })
  }
}
