import type { MethodMessages } from '../schema/services.ts'
import { grpcStatus } from '../transport/grpc-status.ts'
import type { StreamCall, StreamMethod } from '../transport/method.ts'
import type { FileDescriptors } from './file-descriptors.ts'

/** What a client asks; one of the fields besides `host` is set. */
interface ReflectionRequest {
  readonly host: string
  readonly file_by_filename?: string
  readonly file_containing_symbol?: string
  readonly file_containing_extension?: { readonly containing_type: string; readonly extension_number: number }
  readonly all_extension_numbers_of_type?: string
  readonly list_services?: string
}

/** Tells clients such as grpcurl which services there are and what their messages look like. */
export class ServerReflection implements StreamMethod {
  readonly kind = 'stream'
  readonly #messages: MethodMessages
  readonly #files: FileDescriptors
  readonly #services: readonly string[]

  /** @param services full names. */
  constructor(messages: MethodMessages, files: FileDescriptors, services: readonly string[]) {
    this.#messages = messages
    this.#files = files
    this.#services = services
  }

  async handle(call: StreamCall): Promise<void> {
    for await (const message of call.requests) {
      const request = this.#messages.requests.decode(message) as ReflectionRequest
      const { host: valid_host } = request
      call.send(this.#messages.responses.encode({ valid_host, original_request: request, ...this.#answer(request) }))
      await call.room()
    }
  }

  /** Source: grpc/doc/server-reflection.md. There are no extensions. */
  #answer(request: ReflectionRequest): object {
    if (request.list_services !== undefined) {
      return { list_services_response: { service: this.#services.map((name) => ({ name })) } }
    }
    if (request.file_by_filename !== undefined) {
      return fileAnswer(this.#files.named(request.file_by_filename), `file '${request.file_by_filename}'`)
    }
    if (request.file_containing_symbol !== undefined) {
      return fileAnswer(
        this.#files.declaring(request.file_containing_symbol),
        `symbol '${request.file_containing_symbol}'`,
      )
    }
    const extended = request.all_extension_numbers_of_type
    if (extended !== undefined) {
      return this.#files.hasMessage(extended)
        ? { all_extension_numbers_response: { base_type_name: extended } }
        : fileAnswer(undefined, `type '${extended}'`)
    }
    if (request.file_containing_extension !== undefined) return fileAnswer(undefined, 'extension')
    return errorAnswer(grpcStatus.INVALID_ARGUMENT, 'the request asks for nothing')
  }
}

const fileAnswer = (file: Uint8Array | undefined, what: string): object =>
  file === undefined
    ? errorAnswer(grpcStatus.NOT_FOUND, `${what} not found`)
    : { file_descriptor_response: { file_descriptor_proto: [file] } }

const errorAnswer = (error_code: number, error_message: string): object => ({
  error_response: { error_code, error_message },
})
