import { AssertionError } from 'node:assert'
import type { Tensor } from '@triton-ts/core'
import { type Tolerance, tensorDifference } from './tensor-difference.ts'

/** What `tensorMatchers` add to `expect`, for the declaration that a test runner wants. */
export interface TensorMatchers<Result = unknown> {
  /** The same type, shape and elements. */
  toEqualTensor(expected: Tensor): Result
  /** The same type and shape, and elements that differ little. */
  toBeCloseToTensor(expected: Tensor, tolerance?: Tolerance): Result
}

interface MatcherResult {
  readonly pass: boolean
  message(): string
}

/** For Vitest and Jest: `expect.extend(tensorMatchers)`. */
export const tensorMatchers: TensorMatcherFunctions = {
  toEqualTensor: (actual, expected) => result(tensorDifference(actual, expected), expected),
  toBeCloseToTensor: (actual, expected, tolerance = {}) =>
    result(tensorDifference(actual, expected, tolerance), expected),
}

/** Not an interface: test runners take any object of functions, which an interface is not to the compiler. */
type TensorMatcherFunctions = {
  toEqualTensor(actual: unknown, expected: Tensor): MatcherResult
  toBeCloseToTensor(actual: unknown, expected: Tensor, tolerance?: Tolerance): MatcherResult
}

const result = (difference: string | undefined, { datatype, shape }: Tensor): MatcherResult => ({
  pass: difference === undefined,
  message: () => difference ?? `expected something else than this ${datatype} [${shape.join(', ')}]`,
})

/**
 * For any test runner: the tensors have the same type, shape and elements.
 * @throws AssertionError that says what differs.
 */
export function assertTensorEqual(actual: unknown, expected: Tensor): asserts actual is Tensor {
  refuse(actual, expected, tensorDifference(actual, expected))
}

/**
 * For any test runner: the tensors have the same type and shape, and elements that differ little.
 * @throws AssertionError that says what differs.
 */
export function assertTensorClose(
  actual: unknown,
  expected: Tensor,
  tolerance: Tolerance = {},
): asserts actual is Tensor {
  refuse(actual, expected, tensorDifference(actual, expected, tolerance))
}

function refuse(actual: unknown, expected: Tensor, message: string | undefined): void {
  if (message !== undefined) throw new AssertionError({ message, actual, expected })
}
