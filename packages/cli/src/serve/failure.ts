import { TritonError } from '@triton-ts/core'

/** `creating server: Internal - failed to load all models`: what was being done and why it failed, as tritonserver says it. */
export function failure(doing: string, error: unknown): Error {
  const cause = TritonError.from(error)
  return new Error(`${doing}: ${cause.reason.replace(': ', ' - ').trimEnd()}`, { cause })
}
