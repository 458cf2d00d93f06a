import { ConfigError, type ConfigProblem } from './config-error.ts'
import { deepFreeze } from './message-value.ts'
import type { ModelConfig, ModelConfigInput } from './model-config.ts'
import { ObjectReader } from './object-reader.ts'
import { modelConfigSchema } from './schema.ts'

/**
 * Reads a model configuration in protobuf's JSON mapping, the `config` parameter of a load. Nothing is completed or
 * validated yet.
 *
 * @throws ConfigError with all problems
 */
export function modelConfigFromJson(text: string): ModelConfig {
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch (error) {
    throw new ConfigError([syntaxProblem(text, error as SyntaxError)], { cause: error })
  }
  return read(input)
}

/**
 * Reads a model configuration from an object, by the rules of the JSON form; keys may be in camelCase or snake_case.
 *
 * @throws ConfigError with all problems
 */
export function modelConfigFromObject(input: ModelConfigInput): ModelConfig {
  return read(input)
}

function read(input: unknown): ModelConfig {
  const reader = new ObjectReader()
  const config = reader.message(modelConfigSchema, input, '') as unknown as ModelConfig
  if (reader.problems.length > 0) throw new ConfigError(reader.problems)
  return deepFreeze(config)
}

/** JSON.parse tells the place of an error in its message alone. */
function syntaxProblem(text: string, error: SyntaxError): ConfigProblem {
  const [place, offset] = / (?:in JSON )?at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(error.message) ?? []
  if (place === undefined) return { message: error.message }
  const before = text.slice(0, Number(offset)).split('\n')
  const column = before[before.length - 1]!.length + 1
  return { message: error.message.slice(0, -place.length), line: before.length, column }
}
