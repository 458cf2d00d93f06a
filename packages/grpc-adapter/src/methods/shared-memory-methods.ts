import { expectClientSharedMemory } from '@triton-ts/protocol'
import type { MethodEntry } from '../schema/services.ts'
import { inferenceService, type ServiceContext } from '../service-context.ts'

interface RegionRequest {
  readonly name: string
}

interface SystemRegionRequest extends RegionRequest {
  readonly key: string
  readonly offset: bigint
  readonly byte_size: bigint
}

interface CudaRegionRequest extends RegionRequest {
  readonly raw_handle: Uint8Array
  readonly device_id: bigint
  readonly byte_size: bigint
}

/** Memory that clients share with the server. */
export function sharedMemoryMethods({ server, services, sharedMemory }: ServiceContext): MethodEntry[] {
  const memory = server.sharedMemory
  return [
    services.unary<RegionRequest>(inferenceService, 'SystemSharedMemoryStatus', ({ name }) => ({
      regions: byName(memory.systemStatus(name), ({ name, key, offset, byteSize }) => ({
        name,
        key,
        offset,
        byte_size: byteSize,
      })),
    })),
    services.unary<SystemRegionRequest>(inferenceService, 'SystemSharedMemoryRegister', (request) => {
      expectClientSharedMemory(sharedMemory)
      const { name, key, offset, byte_size: byteSize } = request
      memory.registerSystem({ name, key, offset, byteSize })
      return {}
    }),
    services.unary<RegionRequest>(inferenceService, 'SystemSharedMemoryUnregister', ({ name }) => {
      expectClientSharedMemory(sharedMemory)
      memory.unregister('system', name)
      return {}
    }),
    services.unary<RegionRequest>(inferenceService, 'CudaSharedMemoryStatus', ({ name }) => ({
      regions: byName(memory.cudaStatus(name), ({ name, deviceId, byteSize }) => ({
        name,
        device_id: deviceId,
        byte_size: byteSize,
      })),
    })),
    services.unary<CudaRegionRequest>(inferenceService, 'CudaSharedMemoryRegister', async (request) => {
      expectClientSharedMemory(sharedMemory)
      const { name, raw_handle: rawHandle, device_id: deviceId, byte_size: byteSize } = request
      await memory.registerCuda({ name, rawHandle, deviceId, byteSize })
      return {}
    }),
    services.unary<RegionRequest>(inferenceService, 'CudaSharedMemoryUnregister', ({ name }) => {
      expectClientSharedMemory(sharedMemory)
      memory.unregister('cuda', name)
      return {}
    }),
  ]
}

/** Names are the client's, so the map has no prototype that they could reach. */
function byName<Region extends RegionRequest>(
  regions: readonly Region[],
  toStatus: (region: Region) => object,
): Record<string, object> {
  const map = Object.create(null) as Record<string, object>
  for (const region of regions) map[region.name] = toStatus(region)
  return map
}
