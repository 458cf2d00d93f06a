import { TritonError } from '../errors.ts'
import type { RegionKind } from './region-status.ts'

/** Characters. */
const maxLength = 1024

/** @throws TritonError INVALID_ARG for a name that no region can have, with Triton's text for none at all. */
export function checkRegionName(name: string, kind: RegionKind): void {
  if (name === '') {
    throw new TritonError('INVALID_ARG', `'region name' is necessary to register ${kind} shared memory region`)
  }
  if (name.length <= maxLength) return
  const text = `the name of a shared memory region must not be longer than ${maxLength} characters, got ${name.length}`
  throw new TritonError('INVALID_ARG', text)
}
