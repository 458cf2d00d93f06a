import { TritonError } from '@triton-ts/core'

/**
 * The shape of an input of `elements`: fixed dimensions stay, the last one of any size takes what is left, others of any
 * size are 1. Source: Triton, server/src/http_server.cc, ExactMappingInput.
 * @param dims of the model's metadata; -1 is any size.
 * @throws TritonError INVALID_ARG when there is no such shape.
 */
export function fitShape(name: string, dims: readonly number[], elements: number): number[] {
  let left = elements
  for (const dim of dims) if (dim !== -1) left /= dim
  const shape = [...dims]
  for (let i = shape.length - 1; i >= 0; i--) {
    if (shape[i] !== -1) continue
    shape[i] = left
    left = 1
  }
  if (left === 1 && shape.every(Number.isInteger)) return shape
  throw new TritonError('INVALID_ARG', `The schema can not convert input '${name}' to tensor with proper shape`)
}
