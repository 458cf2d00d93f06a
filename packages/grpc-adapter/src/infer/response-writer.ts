import type { InferenceResponse, Tensor } from '@triton-ts/core'
import { type ClassSource, classify } from '@triton-ts/protocol'
import type { MessageParts } from '../transport/method.ts'
import { fieldSize, ProtoWriter, prefixRoom } from '../wire/proto-writer.ts'
import type { GrpcRequest } from './grpc-request.ts'
import { writeParameter } from './write-parameter.ts'

/** Field numbers of `inference.ModelInferResponse`. */
const field = { modelName: 1, modelVersion: 2, id: 3, parameters: 4, outputs: 5, rawOutputContents: 6 } as const
/** Field numbers of `inference.ModelInferResponse.InferOutputTensor`. */
const outputField = { name: 1, datatype: 2, shape: 3 } as const
/** Field numbers of `inference.ModelStreamInferResponse`. */
const streamField = { errorMessage: 1, inferResponse: 2 } as const

/** The parameter that tells of each response on a stream whether it is the last one of its request. */
const finalFlag = 'triton_final_response'

const noBytes = new Uint8Array(0)

/** What a response without outputs says of its request. */
export interface ResponseOrigin {
  readonly id: string
  readonly modelName?: string
  readonly modelVersion?: string
}

/** Writes responses to inference requests; it keeps the memory for their heads. */
export class ResponseWriter {
  readonly #writer = new ProtoWriter()

  /**
   * `ModelInferResponse`: outputs are raw; those in shared memory have no bytes here.
   * @throws TritonError INVALID_ARG for an output that cannot be ranked.
   */
  write(response: InferenceResponse, request: GrpcRequest, classSource: ClassSource | undefined): MessageParts {
    this.#writer.begin()
    const contents = this.#writeHead(response, request, classSource)
    return this.#writeContents(contents)
  }

  /**
   * `ModelStreamInferResponse` with outputs.
   * @throws as `write`.
   */
  writeStreamed(
    response: InferenceResponse,
    request: GrpcRequest,
    classSource: ClassSource | undefined,
    isFinal: boolean,
  ): MessageParts {
    const writer = this.#writer
    writer.begin(prefixRoom)
    const contents = this.#writeHead(response, request, classSource, isFinal)
    const rawSize = contents.reduce((size, { byteLength }) => size + fieldSize(byteLength), 0)
    writer.prefix(streamField.inferResponse, writer.byteSize + rawSize)
    return this.#writeContents(contents)
  }

  /** `ModelStreamInferResponse` without outputs: an error, or that no response comes any more. */
  writeEmpty(origin: ResponseOrigin, isFinal: boolean | undefined, errorMessage = ''): MessageParts {
    const writer = this.#writer
    writer.begin()
    if (errorMessage !== '') writer.string(streamField.errorMessage, errorMessage)
    const place = writer.open(streamField.inferResponse)
    this.#writeOrigin(origin.modelName ?? '', origin.modelVersion ?? '', origin.id)
    if (isFinal !== undefined) writeParameter(writer, field.parameters, finalFlag, isFinal)
    writer.close(place)
    return writer.finish()
  }

  /** Everything but the contents, which it returns. */
  #writeHead(
    response: InferenceResponse,
    request: GrpcRequest,
    classSource: ClassSource | undefined,
    isFinal?: boolean,
  ): Uint8Array[] {
    const writer = this.#writer
    const { parameters, outputs } = response
    this.#writeOrigin(response.modelName, String(response.modelVersion), response.id)
    for (const name in parameters) {
      const value = parameters[name]
      if (value !== undefined) writeParameter(writer, field.parameters, name, value)
    }
    if (isFinal !== undefined) writeParameter(writer, field.parameters, finalFlag, isFinal)
    const contents: Uint8Array[] = []
    for (const name in outputs) {
      let tensor = outputs[name] as Tensor
      const classes = request.classes?.get(name)
      if (classes !== undefined && classSource !== undefined) {
        const { hasBatch, label } = classSource
        tensor = classify(name, tensor, classes, hasBatch, (index) => label(name, index))
      }
      this.#writeOutput(name, tensor)
      contents.push(request.regions?.hasOutput(name) ? noBytes : tensor.bytes)
    }
    return contents
  }

  #writeOrigin(modelName: string, modelVersion: string, id: string): void {
    const writer = this.#writer
    if (modelName !== '') writer.string(field.modelName, modelName)
    if (modelVersion !== '') writer.string(field.modelVersion, modelVersion)
    if (id !== '') writer.string(field.id, id)
  }

  #writeOutput(name: string, { datatype, shape }: Tensor): void {
    const writer = this.#writer
    const place = writer.open(field.outputs)
    writer.string(outputField.name, name)
    writer.string(outputField.datatype, datatype)
    if (shape.length > 0) {
      const dims = writer.open(outputField.shape)
      for (const dim of shape) writer.int64(dim)
      writer.close(dims)
    }
    writer.close(place)
  }

  #writeContents(contents: readonly Uint8Array[]): MessageParts {
    for (const bytes of contents) this.#writer.bytes(field.rawOutputContents, bytes)
    return this.#writer.finish()
  }
}
