import type { Backend } from '../backend/backend.ts'
import type { BackendFinder, SoughtModel } from '../backend/backend-finder.ts'
import { TritonError } from '../errors.ts'

/** What a Server was given to run models with. */
export interface BackendChoice {
  readonly backends: ReadonlyMap<string, Backend>
  /** Asked in this order for a backend that is not among `backends`. */
  readonly finders: readonly BackendFinder[]
}

/** @throws TritonError INVALID_ARG when nobody has the backend that the configuration names, or what a finder throws. */
export async function chooseBackend(model: SoughtModel, { backends, finders }: BackendChoice): Promise<Backend> {
  const { backend } = model.config
  const given = backends.get(backend)
  if (given !== undefined) return given
  for (const finder of finders) {
    const found = await finder.find(backend, model)
    if (found !== undefined) return found
  }
  throw new TritonError(
    'INVALID_ARG',
    `unable to find backend library for backend '${backend}', try specifying runtime on the model configuration.`,
  )
}
