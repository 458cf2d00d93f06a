import type { BatchInput, ModelConfig } from '../config/model-config.ts'
import { createArray, type DataType, fromConfigType } from '../request/data-type.ts'
import { elementCount } from '../request/shape.ts'
import { Tensor } from '../request/tensor.ts'
import type { ExecutionRequest } from './backend.ts'
import { sourceShape } from './source-shape.ts'

type Shape = readonly number[]

/**
 * The tensors that `batch_input` of a configuration asks for, by target name: they tell the model where in its ragged
 * inputs each request lies. Every target of one entry gets the same tensor.
 * Source: `BackendInputCollector` of Triton's backend library.
 * @throws TritonError INVALID_ARG when a request leaves out the source of an entry.
 */
export function batchInputs(config: ModelConfig, requests: readonly ExecutionRequest[]): Map<string, Tensor> {
  const tensors = new Map<string, Tensor>()
  for (const { kind, targetName, dataType, sourceInput } of config.batchInput) {
    const shapes = requests.map((request) => sourceShape(request, sourceInput[0] as string))
    const tensor = describe[kind](shapes, fromConfigType(dataType) === 'FP32' ? 'FP32' : 'INT32')
    for (const name of targetName) tensors.set(name, tensor)
  }
  return tensors
}

/** What each kind tells of the source's shapes, one for each request. */
const describe: Record<BatchInput['kind'], (shapes: readonly Shape[], datatype: NumberType) => Tensor> = {
  BATCH_ELEMENT_COUNT: (shapes, datatype) => vector(datatype, shapes.map(elementCount)),
  BATCH_ACCUMULATED_ELEMENT_COUNT: (shapes, datatype) => vector(datatype, ends(shapes)),
  BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO: (shapes, datatype) => vector(datatype, [0, ...ends(shapes)]),
  // Only the shape says something; Triton leaves the content undefined.
  BATCH_MAX_ELEMENT_COUNT_AS_SHAPE(shapes, datatype) {
    const largest = shapes.reduce((max, shape) => Math.max(max, elementCount(shape)), 0)
    return Tensor.of(datatype, [largest], createArray(datatype, largest))
  },
  BATCH_ITEM_SHAPE(shapes, datatype) {
    const items = shapes.reduce((sum, [batch = 0]) => sum + batch, 0)
    const rank = Math.max(0, (shapes[0]?.length ?? 0) - 1)
    return vector(datatype, itemShapes(shapes)).reshape([items, rank])
  },
  BATCH_ITEM_SHAPE_FLATTEN: (shapes, datatype) => vector(datatype, itemShapes(shapes)),
}

type NumberType = Extract<DataType, 'INT32' | 'FP32'>

function vector(datatype: NumberType, values: readonly number[]): Tensor {
  const array = createArray(datatype, values.length)
  array.set(values)
  return Tensor.of(datatype, [values.length], array)
}

/** Where the elements of each request end when all stand in a row. */
function ends(shapes: readonly Shape[]): number[] {
  let end = 0
  return shapes.map((shape) => {
    end += elementCount(shape)
    return end
  })
}

/** The shape of each item, which is a request's without its batch dimension, one after the other. */
const itemShapes = (shapes: readonly Shape[]): number[] =>
  shapes.flatMap(([batch = 0, ...item]) => Array.from({ length: batch }, () => item).flat())
