/** An input or output, as the metadata of a model has it. */
export interface TensorSignature {
  readonly name: string
  readonly datatype: string
  /** -1 is any size. */
  readonly shape: readonly number[]
}

/** What the form must know of a model. */
export interface ModelSignature {
  readonly inputs: readonly TensorSignature[]
  readonly versions: readonly string[]
  readonly isDecoupled: boolean
  /** Whether the first dimension counts the items of a batch. */
  readonly hasBatch: boolean
  /** Names of the inputs that may be left out. */
  readonly optional: readonly string[]
}

interface MetadataJson {
  readonly versions?: readonly string[]
  readonly inputs?: readonly TensorSignature[]
}

interface ConfigJson {
  readonly max_batch_size?: number
  readonly input?: readonly { readonly name?: string; readonly optional?: boolean }[]
  readonly model_transaction_policy?: { readonly decoupled?: boolean }
}

/** From the answers of `GET /v2/models/{model}` and `/config`. */
export function signatureOf(metadata: MetadataJson, config: ConfigJson): ModelSignature {
  const optional = (config.input ?? []).flatMap(({ name, optional }) => (name !== undefined && optional ? [name] : []))
  return {
    inputs: metadata.inputs ?? [],
    versions: metadata.versions ?? [],
    isDecoupled: config.model_transaction_policy?.decoupled ?? false,
    hasBatch: (config.max_batch_size ?? 0) > 0,
    optional,
  }
}

/** Bytes of an element; undefined for BYTES, whose elements have any length. */
export function elementSize(datatype: string): number | undefined {
  if (datatype === 'BOOL') return 1
  const bits = /(?:INT|FP|BF)(\d+)$/.exec(datatype)?.[1]
  return bits === undefined ? undefined : Number(bits) / 8
}
