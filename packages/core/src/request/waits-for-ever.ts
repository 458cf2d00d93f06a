import type { BatchMember } from '../instance/batch-member.ts'
import { InferenceRequest } from './inference-request.ts'
import type { RequestPlace } from './request-place.ts'

/**
 * Whether a request that waits for an instance will never get one, because every instance runs a request that waits,
 * through the requests that serve it, for an instance of a place of which the same holds. Such a circle is looked for
 * when its last request comes, so it is never there for long.
 */
export function waitsForEver(request: InferenceRequest): boolean {
  return request.isPending && isStuck(request.place, new Set())
}

/** @param assumed places that are stuck unless one of their instances turns out not to be. */
function isStuck(place: RequestPlace, assumed: Set<RequestPlace>): boolean {
  if (assumed.has(place)) return true
  const { runs } = place
  if (runs.length === 0) return false
  assumed.add(place)
  const stuck = runs.every((batch) => batch?.some((member) => isHeldUp(member, assumed)) ?? false)
  assumed.delete(place)
  return stuck
}

/** Whether one of the requests that serve it will never be answered. */
function isHeldUp(member: BatchMember, assumed: Set<RequestPlace>): boolean {
  if (!(member instanceof InferenceRequest)) return false
  for (const nested of member.nested) {
    if (nested.isPending) {
      if (isStuck(nested.place, assumed)) return true
    } else if (nested.runsWith?.some((other) => isHeldUp(other, assumed))) return true
  }
  return false
}
