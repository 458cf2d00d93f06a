import type { DataType } from '../request/data-type.ts'

export interface TensorMetadata {
  readonly name: string
  readonly datatype: DataType
  /** With a leading -1 when the model has a batch dimension. */
  readonly shape: readonly number[]
}

/** What the protocol tells of a model; the JSON of `GET /v2/models/{model}`. */
export interface ModelMetadata {
  readonly name: string
  /** Ready versions, or the one asked for. */
  readonly versions: readonly string[]
  readonly platform: string
  readonly inputs: readonly TensorMetadata[]
  readonly outputs: readonly TensorMetadata[]
}

/** The JSON of `GET /v2`. */
export interface ServerMetadata {
  readonly name: string
  readonly version: string
  readonly extensions: readonly string[]
}
