import { constants } from 'node:buffer'
import { randomFillSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelConfig, ModelWarmup, WarmupInput } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import { pathInside } from '../repository/path-inside.ts'
import { type DataType, dataTypeSizes, fromConfigType } from '../request/data-type.ts'
import type { RequestInput } from '../request/infer-request.ts'
import { modelSignature } from '../request/model-signature.ts'
import { elementCount } from '../request/shape.ts'
import { Tensor } from '../request/tensor.ts'
import { requestPrefix, type ValidatedRequest, validateRequest } from '../request/validate-request.ts'

/** Requests that an instance runs before it serves. */
export interface WarmUpSample {
  readonly name: string
  /** How many such requests run as one batch. */
  readonly batchSize: number
  /** How often the batch runs. */
  readonly count: number
  /** What each request is; each brings one item. */
  readonly request: ValidatedRequest
}

/** So many requests may run as one batch; a larger number can only be a slip, and would exhaust the memory. */
const largestBatch = 65536

/**
 * Makes the samples of `model_warmup`; those with a batch size of 0 are left out. Data is zeros, random bytes or a file
 * in `<model>/warmup`, which may be longer than needed. Inputs that the model does not have take the place of what the
 * engine adds to requests: sequence controls and states.
 * @throws TritonError with Triton's texts: INVALID_ARG for a sample that is no request of this model or lacks data,
 *   INTERNAL for a file that cannot be read, UNSUPPORTED for one outside the directory.
 */
export async function readWarmUpSamples(
  config: ModelConfig,
  modelDirectory: string,
  signal: AbortSignal,
): Promise<readonly WarmUpSample[]> {
  const signature = modelSignature(config)
  const samples: WarmUpSample[] = []
  for (const warmup of config.modelWarmup) {
    const { name, batchSize, count } = warmup
    if (batchSize === 0) continue
    if (batchSize > largestBatch) {
      throw invalid(`warmup sample '${name}' has batch size ${batchSize}, the largest is ${largestBatch}`)
    }
    const inputs = await readInputs(warmup, config.maxBatchSize > 0, join(modelDirectory, 'warmup'), signal)
    // A model that is told correlation ids has them among the overrides.
    const correlationId = signature.sequence?.correlationIdControl?.datatype === 'BYTES' ? '' : 0
    const own = inputs.filter((input) => signature.inputs.has(input.name))
    const request = validateRequest(signature, { inputs: own, correlationId })
    const overrides = inputs.filter((input) => !signature.inputs.has(input.name))
    for (const override of overrides) request.inputs.set(override.name, override.tensor)
    samples.push({ name, batchSize, count: Math.max(1, count), request })
  }
  return samples
}

function invalid(message: string): TritonError {
  return new TritonError('INVALID_ARG', message)
}

async function readInputs(
  { inputs }: ModelWarmup,
  isBatched: boolean,
  directory: string,
  signal: AbortSignal,
): Promise<RequestInput[]> {
  const sizes = Object.entries(inputs).map(([name, input]) => ({ name, input, ...sizeOf(name, input) }))
  const read: RequestInput[] = []
  for (const { name, input, datatype, bytes } of sizes) {
    const data = await dataOf(name, input, datatype, bytes, directory, signal)
    read.push({ name, tensor: Tensor.fromBytes(datatype, isBatched ? [1, ...input.dims] : input.dims, data) })
  }
  return read
}

/** Bytes of the input; of strings when all are empty. */
function sizeOf(name: string, { dataType, dims }: WarmupInput): { datatype: DataType; bytes: number } {
  const datatype = fromConfigType(dataType)
  if (datatype === undefined || dims.some((dim) => dim < 0)) {
    throw invalid(`warmup setting expects all variable-size dimensions are specified for input '${name}'`)
  }
  const bytes = elementCount(dims) * (dataTypeSizes[datatype] || 4)
  if (bytes <= constants.MAX_LENGTH) return { datatype, bytes }
  throw invalid(`byte size for tensor '${name}' exceeds maximum size of ${constants.MAX_LENGTH}`)
}

async function dataOf(
  name: string,
  { zeroData, randomData, inputDataFile }: WarmupInput,
  datatype: DataType,
  bytes: number,
  directory: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (inputDataFile !== undefined) {
    const content = await readData(name, directory, inputDataFile, signal)
    if (datatype === 'BYTES') return content
    if (content.length >= bytes) return content.subarray(0, bytes)
    throw invalid(
      `${requestPrefix('')}warmup setting expects ${bytes} bytes, but the data provided from ${inputDataFile}only has ${content.length} bytes`,
    )
  }
  if (zeroData === undefined && randomData === undefined) {
    throw invalid(`${requestPrefix('')}warmup setting expects input '${name}' to have input_data_type set`)
  }
  const data = new Uint8Array(bytes)
  if (randomData === undefined || datatype === 'BYTES') return data
  randomFillSync(data)
  return datatype === 'BOOL' ? data.map((byte) => byte & 1) : data
}

async function readData(name: string, directory: string, file: string, signal: AbortSignal): Promise<Uint8Array> {
  const path = await pathInside(directory, file)
  if (path === undefined) {
    throw new TritonError(
      'UNSUPPORTED',
      `warmup file path '${file}' for input '${name}' is outside directory warmup of the model`,
    )
  }
  return readFile(path, { signal }).catch((cause: unknown) => {
    signal.throwIfAborted()
    throw new TritonError('INTERNAL', `failed to open text file for read ${path}`, { cause })
  })
}
