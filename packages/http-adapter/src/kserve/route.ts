import type { Server } from '@triton-ts/core'
import type { RestrictedApi } from '@triton-ts/protocol'
import type { ResolvedHttpOptions } from '../http-options.ts'
import type { JsonParser } from '../json/json-parser.ts'
import type { UniversalRequest, UniversalResponse } from '../universal.ts'

/** What every route of a handler shares. */
export interface RouteContext {
  readonly server: Server
  readonly options: ResolvedHttpOptions
  readonly parser: JsonParser
}

/** The named groups of a route's pattern. */
export type RouteParameters = Readonly<Record<string, string | undefined>>

/** An endpoint of the protocol. A new one is a file with its route and a line in `routes.ts`. */
export interface Route {
  /** Matches the whole path, raw. */
  readonly pattern: RegExp
  readonly methods: readonly ('GET' | 'POST')[]
  /** What it belongs to where APIs are restricted. */
  readonly api: RestrictedApi
  /** The content type of its answers and errors, unless it says otherwise. */
  readonly contentType: 'application/json' | 'text/plain'
  /** @throws TritonError what to answer with instead. */
  handle(request: UniversalRequest, parameters: RouteParameters): Promise<UniversalResponse> | UniversalResponse
}
