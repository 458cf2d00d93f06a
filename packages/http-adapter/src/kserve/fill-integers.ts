import type { NumericArray } from '@triton-ts/core'
import type { JsonArray } from '../json/json-array.ts'

/** Casts the integers of `data` to the type of `target`, with C's rules: the low bits count. */
export function fillIntegers(target: NumericArray, data: JsonArray): void {
  const numbers = data.numbers
  if (target instanceof BigInt64Array || target instanceof BigUint64Array) fill64(target, numbers)
  else target.set(numbers)
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number
    if (number <= Number.MAX_SAFE_INTEGER && number >= Number.MIN_SAFE_INTEGER) continue
    const exact = data.bigInteger(i) ?? BigInt(number)
    if (target instanceof BigInt64Array || target instanceof BigUint64Array) target[i] = exact
    else target[i] = Number(BigInt.asIntN(32, exact))
  }
}

/** As 32-bit halves, which is several times as fast as making a bigint of each. */
function fill64(target: BigInt64Array | BigUint64Array, numbers: Float64Array): void {
  const halves = new Int32Array(target.buffer, target.byteOffset, target.length * 2)
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number
    halves[2 * i] = number
    halves[2 * i + 1] = Math.floor(number / 2 ** 32)
  }
}
