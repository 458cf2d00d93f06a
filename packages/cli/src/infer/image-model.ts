import { type ImageFormat, isImageType } from '../images/image-tensor.ts'
import type { ModelInfo, ModelSettings } from './http-client.ts'

/** What the image client needs to know of a model. */
export interface ImageModel {
  readonly input: string
  readonly output: string
  /** 0: the model takes one picture, without a batch dimension. */
  readonly maxBatchSize: number
  readonly format: ImageFormat
}

/**
 * Checks that a model classifies images: one picture in, one vector of FP32 out.
 * @throws Error that says what else the model is.
 */
export function imageModel(info: ModelInfo, settings: ModelSettings): ImageModel {
  const { name, inputs, outputs } = info
  const [input] = inputs
  const [output] = outputs
  if (input === undefined || inputs.length !== 1) throw new Error(`expecting 1 input, got ${inputs.length}`)
  if (output === undefined || outputs.length !== 1) throw new Error(`expecting 1 output, got ${outputs.length}`)
  if (output.datatype !== 'FP32') {
    throw new Error(`expecting output datatype to be FP32, model '${name}' output type is ${output.datatype}`)
  }
  const maxBatchSize = settings.max_batch_size
  const dims = maxBatchSize > 0 ? input.shape.slice(1) : input.shape
  const classes = maxBatchSize > 0 ? output.shape.slice(1) : output.shape
  if (classes.filter((dim) => dim > 1).length > 1) throw new Error('expecting model output to be a vector')
  if (dims.length !== 3) {
    const expected = maxBatchSize > 0 ? 4 : 3
    throw new Error(`expecting input to have ${expected} dimensions, model '${name}' input has ${input.shape.length}`)
  }
  if (!isImageType(input.datatype)) throw new Error(`pictures cannot be turned into input type ${input.datatype}`)
  const format = { datatype: input.datatype, ...arrangement(name, dims, settings.input[0]?.format) }
  return { input: input.name, output: output.name, maxBatchSize, format }
}

/** A configuration that names no format leaves the shape to tell channels from rows. */
function arrangement(model: string, dims: readonly number[], format = 'FORMAT_NONE'): Omit<ImageFormat, 'datatype'> {
  const last = format === 'FORMAT_NHWC' || (format === 'FORMAT_NONE' && !isChannels(dims[0]) && isChannels(dims[2]))
  const [channels, height, width] = last ? [dims[2], dims[0], dims[1]] : dims
  const shape = `[${dims}]`
  if (!isChannels(channels)) throw new Error(`expecting 1 or 3 channels, model '${model}' input has shape ${shape}`)
  if (!height || !width || height < 0 || width < 0) {
    throw new Error(`expecting a fixed height and width, model '${model}' input has shape ${shape}`)
  }
  return { layout: last ? 'NHWC' : 'NCHW', channels, height, width }
}

const isChannels = (dim: number | undefined): dim is 1 | 3 => dim === 1 || dim === 3
