import { type LoadOptions, TritonError } from '@triton-ts/core'
import type { NativeParameter } from '../host/binding.ts'

const filePrefix = 'file:'

/** By Triton's number. */
const typeNames = ['STRING', 'INT', 'BOOL', 'DOUBLE', 'BYTES']

/**
 * The parameters of a load: `config` is JSON text, `file:<path>` the bytes of a file.
 * @throws TritonError INVALID_ARG, with Triton's text, for another one.
 */
export function loadOptions(parameters: readonly NativeParameter[]): LoadOptions {
  let config: string | undefined
  const files: Record<string, Uint8Array> = {}
  for (const { name, type, value } of parameters) {
    if (name === 'config' && typeof value === 'string') config = value
    else if (name.startsWith(filePrefix) && value instanceof Uint8Array) files[name.slice(filePrefix.length)] = value
    else {
      const text = `Unrecognized load parameter '${name}' with type '${typeNames[type]}'`
      throw new TritonError('INVALID_ARG', text)
    }
  }
  return { config, ...(Object.keys(files).length > 0 && { files }) }
}
