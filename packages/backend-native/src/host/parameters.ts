import type { ParameterValue } from '@triton-ts/core'
import { parameterType } from './abi-numbers.ts'
import type { NativeParameter } from './binding.ts'

/** A type of Triton's and a value that fits: whole numbers are INT, others DOUBLE. */
export function toNativeValue(value: ParameterValue): Omit<NativeParameter, 'name'> {
  switch (typeof value) {
    case 'string':
      return { type: parameterType.string, value }
    case 'boolean':
      return { type: parameterType.bool, value }
    case 'bigint':
      return { type: parameterType.int, value }
    default:
      return Number.isSafeInteger(value)
        ? { type: parameterType.int, value: BigInt(value) }
        : { type: parameterType.double, value }
  }
}

/** A bigint only where a number cannot hold the value; bytes are text. */
export function fromNativeValue(value: NativeParameter['value']): ParameterValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()
  return value
}

export const toNativeParameters = (parameters: Readonly<Record<string, ParameterValue>>): NativeParameter[] =>
  Object.entries(parameters).map(([name, value]) => ({ name, ...toNativeValue(value) }))

export function fromNativeParameters(parameters: readonly NativeParameter[]): Record<string, ParameterValue> {
  return Object.fromEntries(parameters.map(({ name, value }) => [name, fromNativeValue(value)]))
}
