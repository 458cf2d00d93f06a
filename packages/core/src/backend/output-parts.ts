import type { ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import { elementCount } from '../request/shape.ts'
import type { Tensor } from '../request/tensor.ts'
import { requestPrefix } from '../request/validate-request.ts'
import type { ExecutionRequest } from './backend.ts'
import { cutOutput } from './scatter.ts'
import { sourceShape } from './source-shape.ts'

/** What one request gets of an output of the whole batch, or why it gets nothing. */
export type OutputPart = Tensor | TritonError

/**
 * The parts of an output, one for each request: along the batch dimension, or where the configuration has it in
 * `batch_output`, by the shapes of the source input. What the output has beyond them is left out.
 */
export function outputParts(
  config: ModelConfig,
  requests: readonly ExecutionRequest[],
  name: string,
  output: Tensor,
): readonly OutputPart[] {
  const scatter = config.batchOutput.find(({ targetName }) => targetName.includes(name))
  return scatter === undefined
    ? rows(config, requests, `tensor '${name}'`, output)
    : scattered(config, requests, name, output, scatter.sourceInput[0] as string)
}

/** The parts of an output that is a state. */
export const stateParts = (
  config: ModelConfig,
  requests: readonly ExecutionRequest[],
  name: string,
  output: Tensor,
): readonly OutputPart[] => rows(config, requests, `state tensor '${name}'`, output)

function rows(
  { maxBatchSize }: ModelConfig,
  requests: readonly ExecutionRequest[],
  label: string,
  output: Tensor,
): readonly OutputPart[] {
  if (maxBatchSize === 0) return [output]
  const [batch = 0, ...item] = output.shape
  let end = 0
  const parts = cutOutput(
    output,
    requests.map(({ batchSize }) => [batchSize, ...item]),
  )
  return requests.map((request, i) => {
    end += request.batchSize
    return parts[i] ?? tooShort(request, label, `batch size of at least ${end}`, batch)
  })
}

/** Every variable dimension of the output is that of the source at the same place, as in Triton. */
function scattered(
  { maxBatchSize, output: outputs }: ModelConfig,
  requests: readonly ExecutionRequest[],
  name: string,
  output: Tensor,
  source: string,
): readonly OutputPart[] {
  const entry = outputs.find((entry) => entry.name === name)
  const dims = entry?.reshape?.shape ?? entry?.dims ?? []
  const whole = maxBatchSize > 0 ? [-1, ...dims] : dims
  const shapes = requests.map((request) => fill(name, whole, source, sourceShape(request, source)))
  const parts = cutOutput(output, shapes)
  let end = 0
  return requests.map((request, i) => {
    end += elementCount(shapes[i] as readonly number[])
    return parts[i] ?? tooShort(request, `tensor '${name}'`, `at least ${end} elements`, output.elementCount)
  })
}

function fill(name: string, dims: readonly number[], source: string, shape: readonly number[]): number[] {
  return dims.map((dim, i) => {
    const size = dim === -1 ? shape[i] : dim
    if (size !== undefined) return size
    throw new TritonError(
      'INVALID_ARG',
      `output '${name}' has ${dims.length} dimensions to be scattered by, but its source input '${source}' has ${shape.length}`,
    )
  })
}

const tooShort = ({ id }: ExecutionRequest, label: string, expected: string, got: number): TritonError =>
  new TritonError(
    'UNSUPPORTED',
    `${requestPrefix(id)}failed to split the output ${label} in responses: expected ${expected} in model output, got ${got}`,
  )
