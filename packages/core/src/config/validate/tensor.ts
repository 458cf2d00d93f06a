import { fromConfigType } from '../../request/data-type.ts'
import type { ModelConfig, ModelInput, ModelOutput } from '../model-config.ts'
import type { ProblemList } from './problem-list.ts'
import { checkReshape, isDimension } from './reshape.ts'

const tensorrt = 'tensorrt_plan'

export function checkTensor(
  list: ProblemList,
  config: ModelConfig,
  side: 'input' | 'output',
  tensor: ModelInput | ModelOutput,
  index: number,
): void {
  const path = `${side}[${index}]`
  const suffix = ` for ${config.name}`
  const subject = `model ${side} '${tensor.name}'`
  list.require(tensor.name !== '', `${path}.name`, `model ${side} must specify 'name'${suffix}`)
  const hasType = fromConfigType(tensor.dataType) !== undefined
  list.require(hasType, `${path}.data_type`, `${subject} must specify 'data_type'${suffix}`)
  list.require(tensor.dims.length > 0, `${path}.dims`, `${subject} must specify 'dims'${suffix}`)
  if (tensor.reshape?.shape.length === 0 && config.maxBatchSize === 0) {
    const why = 'cannot have empty reshape for non-batching model as scalar tensors are not supported'
    list.add(`${path}.reshape`, `${subject} ${why}${suffix}`)
  }
  const dimension = `${subject} dimension must be integer >= 1, or -1 to indicate a variable-size dimension${suffix}`
  const hasDims = list.require(tensor.dims.every(isDimension), `${path}.dims`, dimension) && tensor.dims.length > 0
  if (tensor.reshape) checkReshape(list, { subject, suffix, path, hasDims, tensor, shape: tensor.reshape.shape })
  if ('format' in tensor && tensor.format !== 'FORMAT_NONE' && tensor.dims.length !== 3) {
    list.add(`${path}.format`, `model input NHWC/NCHW require 3 dims${suffix}`)
  }
  const shapeTensor = `shape tensors are only supported for TensorRT platform${suffix}`
  list.require(!tensor.isShapeTensor || config.platform === tensorrt, `${path}.is_shape_tensor`, shapeTensor)
  if (tensor.isNonLinearFormatIo) checkNonLinearFormat(list, config, side, tensor, path)
}

function checkNonLinearFormat(
  list: ProblemList,
  config: ModelConfig,
  side: 'input' | 'output',
  tensor: ModelInput | ModelOutput,
  tensorPath: string,
): void {
  const path = `${tensorPath}.is_non_linear_format_io`
  const platform = `Non-linear IO format is only supported for the TensorRT platform for ${config.name}`
  if (!list.require(config.platform === tensorrt, path, platform)) return
  list.require(tensor.dims.length === 3, path, `Non-linear IO format ${side} requires 3 dims for ${config.name}`)
}
