import { TritonError } from '@triton-ts/core'
import type { JsonArray } from '../json/json-array.ts'

const maxInt64 = 2 ** 63

/**
 * The shape of an input. Sizes that no memory holds are refused here, before anything is made of them.
 * @throws TritonError INTERNAL for what is no list of unsigned integers, INVALID_ARG for absurd dimensions.
 */
export function readShape(array: JsonArray, name: string): number[] {
  const { count } = array
  const isFlat = array.depth === 1 && (array.kind === 'numbers' || array.kind === 'empty')
  if (!isFlat || array.notUint64At < count || array.mixedAt <= count) {
    throw new TritonError(
      'INTERNAL',
      "Unable to parse 'shape': attempt to access JSON non-unsigned-integer as unsigned-integer",
    )
  }
  const shape: number[] = []
  const { scratch, start } = array
  let elements = 1
  for (let i = start; i < start + count; i++) {
    const size = scratch.numbers[i] as number
    shape.push(size)
    elements *= size
  }
  if (!(elements < Number.MAX_SAFE_INTEGER)) checkElements(array, name, shape)
  return shape
}

/** Texts of Triton's GetElementCount. */
function checkElements(array: JsonArray, name: string, shape: readonly number[]): void {
  const sizes = shape.map((size, i) => array.bigInteger(i) ?? BigInt(size))
  const text = `invalid shape for input '${name}': shape [${sizes.map((size) => BigInt.asIntN(64, size)).join(',')}]`
  if (shape.some((size) => size >= maxInt64)) {
    throw new TritonError('INVALID_ARG', `${text} contains one or more invalid dimensions`)
  }
  // A size of 0 makes the product 0, or NaN where it met an infinite one.
  if (shape.includes(0)) return
  throw new TritonError('INVALID_ARG', `${text} causes total element count to exceed maximum size of ${2n ** 63n - 1n}`)
}
