import { inspect } from 'node:util'
import type { ExecutionRequest } from '../backend/backend.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import { dataTypeSizes, fromConfigType } from '../request/data-type.ts'
import { type InputValue, toTensorOf } from '../request/input-value.ts'
import { modelSignature, type OutputSignature } from '../request/model-signature.ts'
import { shapeText } from '../request/shape.ts'
import { Tensor } from '../request/tensor.ts'
import type { OutputValues } from './model-code.ts'
import { modelError } from './model-error.ts'

/** What requests of an instance have in common: how their answers are made of what code returns. */
export class RequestHost {
  readonly model: string
  readonly directory: string
  readonly isDecoupled: boolean
  readonly #isBatching: boolean
  readonly #outputs: ReadonlyMap<string, OutputSignature>
  readonly #states: ReadonlyMap<string, OutputSignature>

  /** @param directory of the model's files, for the places of errors. */
  constructor(config: ModelConfig, directory: string) {
    const { modelName, outputs, decoupled, maxBatchSize } = modelSignature(config)
    this.model = modelName
    this.directory = directory
    this.isDecoupled = decoupled
    this.#isBatching = maxBatchSize > 0
    // A model answers in the shape of `reshape`, which the engine undoes.
    this.#outputs = new Map(
      [...outputs].map(([name, output]) => [name, { ...output, dims: output.reshape ?? output.dims }]),
    )
    this.#states = new Map(config.sequenceBatching?.state.map((state) => [state.outputName, stateSignature(state)]))
  }

  /**
   * The outputs as tensors, without those that the caller does not want.
   * @throws TritonError INVALID_ARG for what does not fit the configuration.
   */
  toOutputs(values: OutputValues, request: ExecutionRequest): Record<string, Tensor> {
    const { requestedOutputs } = request
    if (!isRecord(values)) throw this.#noOutputs(values)
    const tensors: Record<string, Tensor> = {}
    for (const name in values) {
      const output = this.#outputs.get(name)
      if (output === undefined) throw this.#unknown(name)
      if (!requestedOutputs.includes(name)) continue
      const value = values[name] as InputValue
      const tensor = value instanceof Tensor ? value : toTensorOf(output, this.#batch(request), value, 'output')
      this.#check(output, tensor, request)
      tensors[name] = tensor
    }
    return tensors
  }

  toState(output: string, value: InputValue): Tensor {
    if (value instanceof Tensor) return value
    const state = this.#states.get(output)
    if (state === undefined) throw new TritonError('INVALID_ARG', `model '${this.model}' has no state '${output}'`)
    return toTensorOf(state, this.#isBatching ? 1 : undefined, value, 'state')
  }

  toError(error: unknown): TritonError {
    return modelError(error, this.model, this.directory)
  }

  #batch(request: ExecutionRequest): number | undefined {
    return this.#isBatching ? request.batchSize : undefined
  }

  #check({ name, datatype, dims }: OutputSignature, tensor: Tensor, { batchSize }: ExecutionRequest): void {
    if (tensor.datatype !== datatype) {
      throw this.#misfit(name, `is ${tensor.datatype}, but the configuration says ${datatype}`)
    }
    if (datatype !== 'BYTES' && tensor.byteSize !== tensor.elementCount * dataTypeSizes[datatype]) {
      throw this.#misfit(name, `has ${tensor.byteSize} bytes, which do not fill its shape ${shapeText(tensor.shape)}`)
    }
    const { shape } = tensor
    const first = this.#isBatching ? 1 : 0
    let fits = shape.length === dims.length + first && (first === 0 || shape[0] === batchSize)
    for (let i = 0; fits && i < dims.length; i++) fits = dims[i] === -1 || dims[i] === shape[i + first]
    if (fits) return
    const wanted = shapeText(first === 0 ? dims : [batchSize, ...dims])
    throw this.#misfit(name, `has shape ${shapeText(shape)}, but the request and the configuration want ${wanted}`)
  }

  #misfit(output: string, text: string): TritonError {
    return new TritonError('INTERNAL', `output '${output}' of model '${this.model}' ${text}`)
  }

  #noOutputs(values: unknown): TritonError {
    const text = `model '${this.model}' answered with ${inspect(values, { depth: 0 })}, not with an object of outputs by name`
    return new TritonError('INTERNAL', text)
  }

  #unknown(name: string): TritonError {
    const known = [...this.#outputs.keys()].map((output) => `'${output}'`).join(', ')
    return new TritonError('INTERNAL', `model '${this.model}' answered with '${name}', its outputs are ${known}`)
  }
}

/** Not a Map, a generator or a number: in those there are no outputs, so that nothing would be answered. */
function isRecord(values: unknown): boolean {
  if (typeof values !== 'object' || values === null) return false
  return Object.getPrototypeOf(values) === Object.prototype || !(Symbol.iterator in values)
}

type StateConfig = NonNullable<ModelConfig['sequenceBatching']>['state'][number]

function stateSignature({ outputName: name, dataType, dims }: StateConfig): OutputSignature {
  const datatype = fromConfigType(dataType)
  if (datatype === undefined) throw new TritonError('INVALID_ARG', `state '${name}' has data type ${dataType}`)
  return { name, datatype, dims, reshape: undefined }
}
