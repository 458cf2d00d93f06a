import { type Api, modelPath } from '../data/api.ts'
import { parseExact } from './exact-json.ts'
import { readEvents } from './read-events.ts'
import type { RequestBody } from './request-body.ts'

/** Where a request goes. */
export interface Target {
  readonly id: string
  /** '' leaves the choice to the server. */
  readonly version: string
}

export interface WholeAnswer {
  readonly answer: unknown
  /** Why it ran when it did; '' where the server does not tell. */
  readonly explanation: string
}

const pathOf = ({ id, version }: Target): string => modelPath(id) + (version === '' ? '' : `/versions/${version}`)

/** One request, one answer. @throws ApiError */
export async function infer(api: Api, target: Target, request: RequestBody, signal: AbortSignal): Promise<WholeAnswer> {
  const response = await api.request(`${pathOf(target)}/infer`, { ...request, signal })
  const explanation = decodeURIComponent(response.headers.get('triton-ts-explanation') ?? '')
  return { answer: parseExact(await response.text()), explanation }
}

/** One request, any number of answers, as they come. @throws ApiError */
export async function* generate(
  api: Api,
  target: Target,
  request: RequestBody,
  signal: AbortSignal,
): AsyncGenerator<unknown, void, undefined> {
  const { body } = await api.request(`${pathOf(target)}/generate_stream`, { ...request, signal })
  if (body !== null) for await (const event of readEvents(body)) yield parseExact(event)
}
