import type { LoadPlace } from './load-place.ts'
import type { Residents } from './residents.ts'
import { hopeless } from './room-errors.ts'

/** Models whose requests wait for loads: their memory does not come back before those. */
export const heldFor = (places: readonly LoadPlace[]): Set<string> =>
  new Set(places.flatMap(({ load }) => load.nested.flatMap(({ held }) => [...held])))

/** Refuses requests of models that would wait for what models hold that wait themselves, the latest first. */
export function refuseHopeless(places: readonly LoadPlace[], residents: Residents, budget: number): void {
  for (const place of places.filter(({ load }) => load.isNested).reverse()) {
    for (const waiter of place.load.nested.reverse()) {
      if (isHopeless(place, heldFor(places), residents, budget)) waiter.fail(hopeless(place.load.name, waiter.held))
    }
  }
}

/** Whether a load would not fit beside all that is held, even if everything else went. */
function isHopeless(
  { size, names }: LoadPlace,
  held: ReadonlySet<string>,
  residents: Residents,
  budget: number,
): boolean {
  // What is unloaded goes only when its requests have ended, and comes back only then.
  for (const name of names) if (held.has(name) && residents.get(name)?.state === 'leaving') return true
  return size + residents.bytesOf(new Set([...held, ...residents.pinned]), names) > budget
}
