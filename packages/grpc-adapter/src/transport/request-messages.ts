import { GrpcError } from './grpc-status.ts'
import { decompress, type MessageEncoding } from './message-encoding.ts'
import { MessageReader, type ReceivedMessage } from './message-reader.ts'

/** The messages that a client sends in a call, decompressed. */
export class RequestMessages {
  readonly #reader: MessageReader
  readonly #encoding: MessageEncoding
  readonly #maxSize: number

  constructor(encoding: MessageEncoding, maxSize: number) {
    this.#reader = new MessageReader(maxSize)
    this.#encoding = encoding
    this.#maxSize = maxSize
  }

  /** @throws GrpcError as `MessageReader.read`. */
  read(chunk: Uint8Array, messages: ReceivedMessage[]): void {
    this.#reader.read(chunk, messages)
  }

  /** @throws GrpcError INTERNAL when the client ends within a message. */
  end(): void {
    if (!this.#reader.isAtBoundary) throw new GrpcError('INTERNAL', 'the request ends within a message')
  }

  /** @throws GrpcError (as a rejection) as `decompress`. */
  content({ isCompressed, bytes }: ReceivedMessage): Uint8Array | Promise<Uint8Array> {
    return isCompressed ? decompress(this.#encoding, bytes, this.#maxSize) : bytes
  }
}
