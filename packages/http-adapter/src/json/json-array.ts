import type { JsonValue } from './json-value.ts'
import type { Scratch } from './scratch.ts'

/** What the leaves of an array are: all of one kind and packed, or anything, kept one by one. */
export type ArrayKind = 'empty' | 'numbers' | 'strings' | 'booleans' | 'values'

const never = Number.POSITIVE_INFINITY

/**
 * An array, with the leaves of nested arrays in one run: numbers as doubles, strings in the wire form of BYTES, booleans
 * as bytes, all in the parser's scratch memory. So a tensor of any rank is one object, whatever its datatype turns out
 * to be. Leaves that come after one of another kind are not kept, since no tensor can be made of them.
 */
export class JsonArray {
  kind: ArrayKind = 'empty'
  /** Leaves up to the first of another kind. */
  count = 0
  /** Index of the first leaf of another kind. */
  mixedAt = never
  /** Where the run begins and, for strings, ends in the scratch memory. */
  start = 0
  end = 0
  /** Arrays inside each other, this one included. */
  depth = 1
  /** Index of the first number that is no 64-bit signed or unsigned integer. */
  notInt64At = never
  notUint64At = never
  /** Elements of an array of kind `values`. */
  items: JsonValue[] | undefined
  readonly scratch: Scratch
  /** Holds an empty array, which no kind of leaves tells. */
  #hasEmpty = false
  /** Arrays among its elements, and the leaves in them. */
  #arrays = 0
  #arrayLeaves = 0

  constructor(scratch: Scratch) {
    this.scratch = scratch
  }

  /** Whether the next leaf of `kind` continues the run; starts the run when it is the first. */
  takes(kind: 'numbers' | 'strings' | 'booleans'): boolean {
    if (this.kind === 'empty') {
      this.kind = kind
      this.start = this.scratch.position(kind)
    } else if (this.kind !== kind && this.kind !== 'values') this.mixedAt = Math.min(this.mixedAt, this.count)
    return this.kind === kind && this.mixedAt === never
  }

  /** Adds an object, null, or a leaf to an array of kind `values`. */
  push(value: JsonValue): void {
    if (this.kind === 'empty') {
      this.kind = 'values'
      this.items = this.#hasEmpty ? [null] : []
    }
    if (this.items === undefined) this.mixedAt = Math.min(this.mixedAt, this.count)
    else this.items.push(value)
  }

  /** Adds the leaves of a nested array. */
  pushArray(child: JsonArray): void {
    this.depth = Math.max(this.depth, child.depth + 1)
    this.#arrays++
    this.#arrayLeaves += child.count
    if (this.kind === 'values') this.push(child)
    else if (child.kind === 'values') this.push(child)
    else if (child.kind === 'empty') this.#hasEmpty = true
    else if (this.takes(child.kind)) this.#append(child)
  }

  #append(child: JsonArray): void {
    if (this.count === 0) this.start = child.start
    this.mixedAt = Math.min(this.mixedAt, this.count + child.mixedAt)
    this.notInt64At = Math.min(this.notInt64At, this.count + child.notInt64At)
    this.notUint64At = Math.min(this.notUint64At, this.count + child.notUint64At)
    this.count += child.count
    this.end = child.end
  }

  /**
   * Takes the numbers that were added to the scratch memory, up to `end`.
   * @param firstNegative place of the first that is below 0, or -1.
   * @param firstFraction place of the first that is no integer, or -1.
   */
  addNumbers(end: number, firstNegative: number, firstFraction: number): void {
    this.scratch.numberCount = end
    this.count = end - this.start
    if (firstNegative !== -1) this.markNotUint64(firstNegative)
    if (firstFraction === -1) return
    this.markNotInt64(firstFraction)
    this.markNotUint64(firstFraction)
  }

  /** @param place in the scratch memory. */
  markNotInt64(place: number): void {
    this.notInt64At = Math.min(this.notInt64At, place - this.start)
  }

  /** @param place in the scratch memory. */
  markNotUint64(place: number): void {
    this.notUint64At = Math.min(this.notUint64At, place - this.start)
  }

  /** Elements of the array itself, where leaves are of one kind. */
  get length(): number {
    return this.items?.length ?? this.count - this.#arrayLeaves + this.#arrays
  }

  /** The numbers, valid until the parser parses again. */
  get numbers(): Float64Array {
    return this.scratch.numbers.subarray(this.start, this.start + this.count)
  }

  /** The exact value of a number of this array that a double does not hold. */
  bigInteger(index: number): bigint | undefined {
    return this.scratch.bigIntegers.get(this.start + index)
  }

  /** Packed strings or booleans, valid until the parser parses again. */
  get bytes(): Uint8Array {
    return this.scratch.bytes.subarray(this.start, this.kind === 'strings' ? this.end : this.start + this.count)
  }
}
