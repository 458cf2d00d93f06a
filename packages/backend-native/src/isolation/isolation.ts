import { TritonError } from '@triton-ts/core'
import type { ModelContext } from '@triton-ts/core/backend'

const choices = ['process', 'none'] as const

/** Where a model runs: in a process of its own, which may crash without harm, or in this one. */
export type Isolation = (typeof choices)[number]

/** For all models, or by the name of the model. */
export type IsolationOption = Isolation | Readonly<Record<string, Isolation>>

/**
 * What holds for a model: its parameter `ISOLATION`, else the option, else the backend setting `isolation`, else `none`.
 * @throws TritonError INVALID_ARG for another word.
 */
export function isolationOf(
  { name, config, backendConfig }: Pick<ModelContext, 'name' | 'config' | 'backendConfig'>,
  option: IsolationOption | undefined,
): Isolation {
  const parameter = config.parameters.ISOLATION?.stringValue
  if (parameter !== undefined) return choice(parameter, `parameter 'ISOLATION' of model '${name}'`)
  const given = typeof option === 'object' ? (Object.hasOwn(option, name) ? option[name] : undefined) : option
  if (given !== undefined) return choice(given, `option 'isolation' for model '${name}'`)
  const { isolation } = backendConfig
  return isolation === undefined ? 'none' : choice(isolation, `backend setting 'isolation' for model '${name}'`)
}

function choice(value: string, what: string): Isolation {
  const found = choices.find((known) => known === value)
  if (found !== undefined) return found
  throw new TritonError('INVALID_ARG', `${what} must be 'process' or 'none', got '${value}'`)
}
