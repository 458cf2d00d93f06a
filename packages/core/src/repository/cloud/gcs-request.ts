import { abortable } from '../../util/abortable.ts'
import type { GcsClient } from './gcs-client.ts'
import { connectionFailure, type ServiceFailure } from './service-failure.ts'

/**
 * Asks Google's JSON API.
 * @param path below `/storage/v1/b/`.
 * @throws what `gcsFailure` understands, or the reason of the aborted signal.
 */
export async function gcsGet(
  client: GcsClient,
  path: string,
  query: Record<string, string>,
  signal: AbortSignal,
): Promise<Response> {
  const url = `${client.endpoint}/storage/v1/b/${path}?${new URLSearchParams(query)}`
  // Google's package cannot be told to stop looking.
  const headers = await abortable(client.headers(url), signal)
  // Content that is stored compressed would come without its compression, in a size that nobody told.
  headers.set('accept-encoding', 'identity')
  const response = await fetch(url, { headers, signal })
  if (response.ok) return response
  throw new Refusal(response.status, await response.text())
}

export function gcsFailure(cause: unknown): ServiceFailure {
  if (cause instanceof Refusal) return cause
  // `fetch` hides why it failed in the cause.
  return connectionFailure(cause instanceof TypeError && cause.cause !== undefined ? cause.cause : cause)
}

/** An answer that is an error; its text is JSON, or a sentence where the content of an object was wanted. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, body: string) {
    super(/"message":\s*"([^"]*)"/.exec(body)?.[1] ?? body.trim().split('\n')[0]?.slice(0, 200))
    this.status = status
  }
}
