import type { SharedMemory } from '@triton-ts/core'
import { forwardHeaders, StringCache } from '@triton-ts/protocol'
import type { ServiceContext } from '../service-context.ts'
import type { Call } from '../transport/method.ts'
import { ProtoReader } from '../wire/proto-reader.ts'
import { applyParameters } from './apply-parameters.ts'
import type { GrpcRequest } from './grpc-request.ts'
import { readInputs, readOutputs } from './read-tensors.ts'
import { readWireRequest, type WireRequest } from './wire-request.ts'

/** A message that was read, with what its tensors are still read from. */
export interface IncomingRequest {
  readonly wire: WireRequest
  readonly reader: ProtoReader
}

/** Reads inference requests; it remembers names that come again. */
export class RequestReader {
  readonly #memory: SharedMemory
  readonly #headerPattern: RegExp | undefined
  readonly #names = new StringCache()

  constructor({ server, headerForwardPattern }: ServiceContext) {
    this.#memory = server.sharedMemory
    this.#headerPattern = headerForwardPattern
  }

  /**
   * The message: which model it is for.
   * @throws GrpcError INTERNAL for bytes that are none; TritonError INVALID_ARG for one with too many entries.
   */
  open(message: Uint8Array): IncomingRequest {
    const reader = new ProtoReader(message, this.#names)
    return { reader, wire: readWireRequest(reader) }
  }

  /**
   * The rest of the request, into one that its caller releases the shared memory of. Checks are in Triton's order, so that
   * the first of several mistakes is the one that is named.
   * @throws TritonError with Triton's texts.
   */
  read({ wire, reader }: IncomingRequest, call: Call, request: GrpcRequest): void {
    request.id = wire.id
    if (wire.parameters !== undefined) applyParameters(wire.parameters, request)
    if (this.#headerPattern !== undefined) forwardHeaders(this.#headerPattern, call.metadata.entries(), request)
    readInputs(reader, wire, request, this.#memory)
    readOutputs(wire, request, this.#memory)
  }
}
