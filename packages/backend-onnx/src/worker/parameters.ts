import { type ModelConfig, TritonError } from '@triton-ts/core'

type Parameters = ModelConfig['parameters']

/** A parameter's whole number; 0 without the parameter. */
export function integerParameter(parameters: Parameters, name: string): number {
  return integerText(parameters[name]?.stringValue ?? '0')
}

/** The whole number at the start of a text, as C++ `stoi` reads it. */
export function integerText(text: string): number {
  const digits = /^\s*[+-]?\d+/.exec(text)
  if (digits === null) throw new TritonError('INVALID_ARG', `failed to convert '${text}' to integral number`)
  return Number(digits[0])
}

/** `true`, `on`, `1`, `false`, `off` or `0` in any case; undefined without the parameter. */
export function booleanParameter(parameters: Parameters, name: string): boolean | undefined {
  const text = parameters[name]?.stringValue
  if (text === undefined) return undefined
  const word = text.toLowerCase()
  if (word === 'true' || word === 'on' || word === '1') return true
  if (word === 'false' || word === 'off' || word === '0') return false
  throw new TritonError('INVALID_ARG', `failed to convert '${text}' to boolean`)
}

export function executionMode(parameters: Parameters): 'sequential' | 'parallel' {
  const mode = integerParameter(parameters, 'execution_mode')
  if (mode === 0) return 'sequential'
  if (mode === 1) return 'parallel'
  throw new TritonError(
    'INVALID_ARG',
    `Invalid configuration value provided. Expected values for  execution_mode are 0 or 1 but got ${mode} .`,
  )
}
