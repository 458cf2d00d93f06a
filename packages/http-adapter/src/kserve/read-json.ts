import type { JsonValue } from '../json/json-value.ts'
import type { UniversalRequest } from '../universal.ts'
import type { RouteContext } from './route.ts'
import { jsonLimit } from './size-limits.ts'

/** Reads an optional JSON body; an empty one is undefined. */
export async function readJson<T>(
  { parser, options }: RouteContext,
  request: UniversalRequest,
  read: (document: JsonValue | undefined) => T,
): Promise<T> {
  const body = await request.body(jsonLimit(options.maxInputSize))
  return body.byteLength === 0 ? read(undefined) : parser.parse(body, read)
}
