import { TritonError } from '@triton-ts/core'

/**
 * The version in a path: -1 (the highest that is ready) without one.
 * @throws TritonError INVALID_ARG for more than 64 bits; other texts match no route.
 */
export function parseVersion(text: string | undefined): number {
  if (text === undefined) return -1
  if (text.length > 18 && BigInt(text) > 2n ** 63n - 1n) {
    throw new TritonError(
      'INVALID_ARG',
      `failed to get model version from specified version string '${text}' (details: stol), version should be an integral value > 0`,
    )
  }
  return Number(text)
}
