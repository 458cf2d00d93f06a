import type { Type } from 'protobufjs'
import type { MessageParts } from '../transport/method.ts'
import { unparsable } from '../wire/unparsable.ts'

/**
 * Messages off the hot path as plain objects, with fields as the schema names them. Of what was read, scalars, lists and
 * maps are always there; messages and members of a oneof only where they were set. 64-bit integers are bigints.
 */
export class MessageCodec {
  readonly #type: Type

  constructor(type: Type) {
    this.#type = type
  }

  /** @throws GrpcError INTERNAL for bytes that are no such message. */
  decode(bytes: Uint8Array): object {
    try {
      const message = this.#type.decode(bytes)
      return this.#type.toObject(message, { longs: BigInt, enums: String, defaults: true, oneofs: true })
    } catch (error) {
      throw unparsable(error)
    }
  }

  /** @param message what is left out, and scalars at their default, are not sent. */
  encode(message: object): MessageParts {
    return [this.#type.encode(this.#type.fromObject(message)).finish()]
  }
}
