import { TritonError } from '@triton-ts/core'
import { type ModelContext, modelError } from '@triton-ts/core/backend'

/** How a thread ended: what was thrown in it and not caught, or its exit code. */
export interface ThreadEnd {
  readonly error: unknown
  readonly code: number
}

/** What those hear who waited for it. @param isExecuting it ran requests. */
export function endError(
  { name, directory }: Pick<ModelContext, 'name' | 'directory'>,
  { error, code }: ThreadEnd,
  isExecuting: boolean,
): TritonError {
  const ended = (how: string): string => `the worker of model '${name}' ended${how}`
  const doing = isExecuting ? ' while it ran requests' : ''
  if (error === undefined) return new TritonError('INTERNAL', ended(` with exit code ${code}${doing}`))
  return new TritonError('INTERNAL', ended(`${doing}: ${modelError(error, name, directory).message}`), { cause: error })
}
