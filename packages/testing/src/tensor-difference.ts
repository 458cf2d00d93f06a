import { isUtf8 } from 'node:buffer'
import type { BytesElement, Tensor } from '@triton-ts/core'
import { fromBrainFloat, fromHalf } from './half-precision.ts'

/** How far numbers may be apart: `absolute + relative * |expected|`. */
export interface Tolerance {
  /** Default 1e-5. */
  readonly relative?: number | undefined
  /** Default 1e-6. */
  readonly absolute?: number | undefined
}

type Element = number | bigint | Buffer

/**
 * What is different about two tensors, in a sentence; undefined when nothing is. NaN equals NaN.
 * @param tolerance without it numbers must be equal.
 * @throws TypeError when `expected` is no tensor.
 */
export function tensorDifference(actual: unknown, expected: Tensor, tolerance?: Tolerance): string | undefined {
  if (!isTensor(expected)) throw new TypeError(`a tensor is compared with a tensor, not with ${nameOf(expected)}`)
  if (!isTensor(actual)) return `expected a tensor, got ${nameOf(actual)}`
  if (title(actual) !== title(expected)) return `expected ${title(expected)}, got ${title(actual)}`
  const got = elementsOf(actual)
  const wanted = elementsOf(expected)
  const wrong: number[] = []
  for (let i = 0; i < wanted.length; i++) {
    if (!isSame(got[i] as Element, wanted[i] as Element, tolerance)) wrong.push(i)
  }
  const [first] = wrong
  if (first === undefined) return undefined
  const place = indexText(first, expected.shape)
  return (
    `${wrong.length} of ${wanted.length} elements of ${title(expected)} differ, ` +
    `the first at ${place}: expected ${show(wanted[first] as Element)}, got ${show(got[first] as Element)}`
  )
}

function isTensor(value: unknown): value is Tensor {
  return typeof value === 'object' && value !== null && 'datatype' in value && 'shape' in value && 'data' in value
}

const nameOf = (value: unknown): string => (value === null ? 'null' : typeof value)

const title = ({ datatype, shape }: Tensor): string => `${datatype} [${shape.join(', ')}]`

function elementsOf(tensor: Tensor): ArrayLike<Element> {
  if (tensor.datatype === 'BYTES')
    return (tensor.data as readonly BytesElement[]).map((element) => Buffer.from(element))
  const data = tensor.data as ArrayLike<number | bigint>
  if (tensor.datatype === 'FP16') return Array.from(data as Uint16Array, fromHalf)
  return tensor.datatype === 'BF16' ? Array.from(data as Uint16Array, fromBrainFloat) : data
}

function isSame(actual: Element, expected: Element, tolerance: Tolerance | undefined): boolean {
  if (Buffer.isBuffer(expected)) return expected.equals(actual as Buffer)
  if (actual === expected || (Number.isNaN(actual) && Number.isNaN(expected))) return true
  if (tolerance === undefined) return false
  const { relative = 1e-5, absolute = 1e-6 } = tolerance
  const allowed = absolute + relative * Math.abs(Number(expected))
  return Number.isFinite(allowed) && Math.abs(Number(actual) - Number(expected)) <= allowed
}

function indexText(flat: number, shape: readonly number[]): string {
  const index: number[] = []
  let rest = flat
  for (const size of shape.toReversed()) {
    index.unshift(rest % size)
    rest = Math.floor(rest / size)
  }
  return `[${index.join(', ')}]`
}

function show(element: Element): string {
  if (!Buffer.isBuffer(element)) return String(element)
  return isUtf8(element) ? JSON.stringify(element.toString()) : `bytes ${element.toString('hex')}`
}
