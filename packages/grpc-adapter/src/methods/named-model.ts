import type { Model, Server } from '@triton-ts/core'
import { parseVersion } from '@triton-ts/protocol'

/** A request that is about a model. */
export interface NamedModel {
  readonly name: string
  /** Empty: the one that the server chooses. */
  readonly version: string
}

/** @throws TritonError INVALID_ARG for a version that is none. */
export const namedModel = (server: Server, { name, version }: NamedModel): Model =>
  server.model(name, parseVersion(version))
