import { setTimeout as sleep } from 'node:timers/promises'
import { type DataType, dataTypeSizes, elementCount, type ModelConfig, Tensor, TritonError } from '@triton-ts/core'
import type {
  Backend,
  BackendInstance,
  ExecutionMarks,
  ExecutionRequest,
  InstanceContext,
} from '@triton-ts/core/backend'

type ModelInput = ModelConfig['input'][number]

/**
 * Triton's `identity` backend: OUTPUT<n> is INPUT<n>, of any type. A missing optional input gives zeros. The parameters
 * `creation_delay_sec`, `execute_delay_ms` and `instance_wise_delay_multiplier` slow it down for tests.
 */
export function identity(): Backend {
  return {
    name: 'identity',
    async createModel({ config, signal }) {
      checkConfig(config)
      await sleep(1000 * numberParameter(config, 'creation_delay_sec'), undefined, { signal })
      let instances = 0
      return {
        createInstance: async (slot) => createInstance(slot, instances++),
        dispose: async () => {},
      }
    },
  }
}

function createInstance({ config, kind }: InstanceContext, index: number): BackendInstance {
  if (kind !== 'KIND_CPU') throw invalid("'identity' backend only supports CPU instances")
  const multiplier = numberParameter(config, 'instance_wise_delay_multiplier')
  const delay = numberParameter(config, 'execute_delay_ms') * Math.max(1, multiplier * index)
  const optional = new Map(config.input.filter((input) => input.optional).map((input) => [input.name, input]))
  const finish = (requests: readonly ExecutionRequest[], marks: ExecutionMarks) => {
    marks.computeEnd()
    for (const request of requests) answer(request, optional)
  }
  return {
    execute(requests, marks) {
      marks.computeStart()
      if (delay > 0) return sleep(delay).then(() => finish(requests, marks))
      return finish(requests, marks)
    },
    dispose: async () => {},
  }
}

function answer(request: ExecutionRequest, optional: ReadonlyMap<string, ModelInput>): void {
  const outputs: Record<string, Tensor> = {}
  for (const output of request.requestedOutputs) {
    const name = inputOf(output)
    const missing = optional.get(name)
    const tensor = request.inputs.get(name) ?? (missing && zeros(missing, request.batchSize))
    if (tensor === undefined) {
      request.fail(new TritonError('UNSUPPORTED', `failed to get input '${name}'`))
      return
    }
    outputs[output] = tensor
  }
  request.respond({ outputs, parameters: exampleParameters })
}

/** Triton's backend shows with them that responses can have parameters of every type. */
const exampleParameters = { param0: 'an example string parameter', param1: 42, param2: false, param3: 123.123 }

/** Variable dimensions are 1. */
function zeros(input: ModelInput, batchSize: number): Tensor {
  const dims = shapeOf(input).map((dim) => (dim === -1 ? 1 : dim))
  const shape = batchSize > 0 ? [batchSize, ...dims] : dims
  const datatype = input.dataType === 'TYPE_STRING' ? 'BYTES' : (input.dataType.slice('TYPE_'.length) as DataType)
  // An element of BYTES is at least its length, four bytes.
  return Tensor.fromBytes(datatype, shape, new Uint8Array(elementCount(shape) * (dataTypeSizes[datatype] || 4)))
}

/** `INPUT1` of `OUTPUT1`. */
const inputOf = (output: string): string => `INPUT${output.slice('OUTPUT'.length)}`

const shapeOf = ({ dims, reshape }: ModelInput | ModelConfig['output'][number]): readonly number[] =>
  reshape?.shape ?? dims

const invalid = (text: string): TritonError => new TritonError('INVALID_ARG', text)

function checkConfig({ input, output }: ModelConfig): void {
  if (input.length !== output.length) throw invalid('model configuration must have equal input/output pairs')
  for (const { name } of input) {
    if (!name.startsWith('INPUT')) throw invalid(`expected input name to follow INPUT<index> pattern, got '${name}'`)
  }
  for (const target of output) {
    const { name, dataType } = target
    if (!name.startsWith('OUTPUT')) throw invalid(`expected output name to follow OUTPUT<index> pattern, got '${name}'`)
    const source = input.find((candidate) => candidate.name === inputOf(name))
    if (source === undefined) throw invalid('expected input and output indices to match')
    if (source.dataType !== dataType) {
      throw invalid(`expected input and output datatype to match, got ${source.dataType} and ${dataType}`)
    }
    const [from, to] = [`[${shapeOf(source)}]`, `[${shapeOf(target)}]`]
    if (from !== to) throw invalid(`expected input and output shape to match, got ${from} and ${to}`)
  }
}

function numberParameter({ name, parameters }: ModelConfig, key: string): number {
  const text = parameters[key]?.stringValue ?? '0'
  const value = Number(text)
  if (Number.isNaN(value)) throw invalid(`parameter '${key}' of model '${name}' must be a number, got '${text}'`)
  return value
}
