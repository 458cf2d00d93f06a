import { TritonError } from '../errors.ts'
import type { Logger } from '../util/logger.ts'
import type { CudaMemory } from './cuda-memory.ts'
import { CudaRegion } from './cuda-region.ts'
import { checkRegionName } from './region-name.ts'
import { RegionSlice } from './region-slice.ts'
import type {
  CudaRegionOptions,
  CudaRegionStatus,
  RegionKind,
  SystemRegionOptions,
  SystemRegionStatus,
} from './region-status.ts'
import { RegionTable } from './region-table.ts'
import type { RegisteredRegion } from './registered-region.ts'
import { sharedMemoryFile } from './shared-memory-key.ts'
import { SystemRegion } from './system-region.ts'

/**
 * Memory that other processes share with a Server, by name; `server.sharedMemory`. Requests then name a region instead
 * of carrying the bytes of a tensor. System and CUDA regions share their names.
 */
export class SharedMemory {
  readonly #cuda: CudaMemory | undefined
  readonly #logger: Logger
  readonly #regions = new RegionTable()

  constructor(cuda: CudaMemory | undefined, logger: Logger) {
    this.#cuda = cuda
    this.#logger = logger
  }

  /**
   * Makes POSIX shared memory known, which must exist.
   * @throws TritonError with Triton's texts: INVALID_ARG for a name, key, offset or size that cannot be, ALREADY_EXISTS,
   * INTERNAL where there is no such memory; UNSUPPORTED on other systems than Linux, UNAVAILABLE for the 1025th region
   * and once the Server has stopped.
   */
  registerSystem(options: SystemRegionOptions): void {
    const { name, key } = options
    checkRegionName(name, 'system')
    const file = sharedMemoryFile(key, name)
    this.#regions.add(name, () => SystemRegion.open(file, options))
  }

  /**
   * Makes memory of a GPU known. Tensors are copied between it and the memory of the CPU.
   * @throws TritonError as `registerSystem` does, and INVALID_ARG where no GPU can be reached.
   */
  async registerCuda(options: CudaRegionOptions): Promise<void> {
    const { name } = options
    checkRegionName(name, 'cuda')
    const cuda = await this.expectCuda(name)
    await this.#regions.addLater(name, () => CudaRegion.open(options, cuda, this.#logger))
  }

  /**
   * For front ends that read a request to register only where that can succeed.
   * @throws TritonError INVALID_ARG where no GPU can be reached.
   */
  async expectCuda(name: string): Promise<CudaMemory> {
    if (this.#cuda !== undefined && (await this.#cuda.isAvailable())) return this.#cuda
    const text = `failed to register CUDA shared memory region: '${name}', GPUs not supported`
    throw new TritonError('INVALID_ARG', text)
  }

  /**
   * The system regions, or the one of that name.
   * @throws TritonError NOT_FOUND.
   */
  systemStatus(name = ''): SystemRegionStatus[] {
    const found = this.#find(name, 'system')
    return found.flatMap(({ region }) => (region.kind === 'system' ? [region.status] : []))
  }

  /**
   * The CUDA regions, or the one of that name.
   * @throws TritonError NOT_FOUND.
   */
  cudaStatus(name = ''): CudaRegionStatus[] {
    const found = this.#find(name, 'cuda')
    return found.flatMap(({ region }) => (region.kind === 'cuda' ? [region.status] : []))
  }

  /**
   * Forgets a region, or all of a kind. One that requests use stays, also for new ones, until none does. A name that is
   * not there is no error.
   */
  unregister(kind: RegionKind, name = ''): void {
    for (const registered of name === '' ? this.#regions.list() : [this.#regions.get(name)]) {
      if (registered?.region.kind === kind) registered.leave()
    }
  }

  /**
   * Some bytes of a region, for front ends. They stay there until the slice is released.
   * @throws TritonError NOT_FOUND and INVALID_ARG with Triton's texts.
   */
  use(name: string, offset: number | bigint, byteSize: number | bigint): RegionSlice {
    const registered = this.#regions.get(name)
    if (registered !== undefined) return new RegionSlice(registered, offset, byteSize)
    throw new TritonError('NOT_FOUND', `Unable to find shared memory region: '${name}'`)
  }

  /** The Server's own end: lets go of everything that no request uses, and of the rest when none does. */
  dispose(): void {
    this.#regions.close()
  }

  #find(name: string, kind: RegionKind): RegisteredRegion[] {
    if (name === '') return this.#regions.list()
    const found = this.#regions.get(name)
    if (found === undefined) {
      throw new TritonError('NOT_FOUND', `Unable to find ${kind} shared memory region: '${name}'`)
    }
    if (found.region.kind === kind) return [found]
    const [other, wanted] = kind === 'system' ? ['CUDA', 'system'] : ['system', 'CUDA']
    const text = `The region named '${name}' is registered as ${other} shared memory, not ${wanted} shared memory`
    throw new TritonError('NOT_FOUND', text)
  }
}
