import { TritonError } from '@triton-ts/core'

const longest = 2n ** 63n - 1n

/**
 * The version that a text names: -1 (the highest that is ready) for none. As Triton reads numbers, what stands behind
 * the digits does not count.
 * @throws TritonError INVALID_ARG for a text that does not begin with a number, or with one of more than 64 bits or
 * below 0.
 */
export function parseVersion(text: string | undefined): number {
  if (text === undefined || text === '') return -1
  const [, sign, digits] = /^\s*([+-]?)(\d+)/.exec(text) ?? []
  if (digits === undefined || (digits.length > 18 && BigInt(digits) > longest)) {
    throw new TritonError(
      'INVALID_ARG',
      `failed to get model version from specified version string '${text}' (details: stol), version should be an integral value > 0`,
    )
  }
  const version = Number(digits)
  if (sign !== '-' || version === 0) return version
  throw new TritonError(
    'INVALID_ARG',
    `invalid model version specified '${text}' , version should be an integral value > 0`,
  )
}
