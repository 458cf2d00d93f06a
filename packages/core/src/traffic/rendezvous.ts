import { keyHash } from './key-hash.ts'
import type { VersionShare } from './version-share.ts'

/**
 * Chooses a version by a key, each as often as its weight says (weighted rendezvous hashing). A key stays with its
 * version as long as that is among the shares and the weights stay; when they change, only those keys move that have to.
 */
export function rendezvous(shares: readonly VersionShare[], key: string, salt: number): number | undefined {
  let chosen: number | undefined
  let nearest = Number.POSITIVE_INFINITY
  for (const { version, weight } of shares) {
    // Of such distances, the smallest is a version's with the probability weight / total.
    const distance = -Math.log(keyHash(key, version, salt)) / weight
    if (chosen !== undefined && distance >= nearest) continue
    chosen = version
    nearest = distance
  }
  return chosen
}
