import type { RegionReference } from '@triton-ts/protocol'
import type { JsonValue } from '../json/json-value.ts'
import { asString, asUint64, find } from './json-access.ts'

/** No region is so large: Triton, too, refuses a reference without size like one that is too large. */
const missingSize = -1

/** The region that `parameters` of an input or output name. Source: server/src/http_server.cc, CheckSharedMemoryData. */
export function readRegion(parameters: JsonValue | undefined, region: JsonValue): RegionReference {
  const name = asString(region, "Unable to parse 'shared_memory_region'")
  const offset = find(parameters, 'shared_memory_offset')
  const byteSize = find(parameters, 'shared_memory_byte_size')
  return {
    region: name,
    offset: offset === undefined ? 0 : asUint64(offset, "Unable to parse 'shared_memory_offset'"),
    byteSize: byteSize === undefined ? missingSize : asUint64(byteSize, "Unable to parse 'shared_memory_byte_size'"),
  }
}
