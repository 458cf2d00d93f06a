import { TritonError } from '@triton-ts/core'
import type { ModelContext } from '@triton-ts/core/backend'

/** How the code of a model runs. */
export interface Execution {
  /** `worker`: each instance has a thread. `inline`: on the event loop of the Server. */
  readonly place: 'worker' | 'inline'
  /** Milliseconds after which a batch that is not answered fails and its worker is restarted; 0: never. */
  readonly timeout: number
  /** Megabytes of the heap of a worker; undefined: what Node gives it. */
  readonly maxHeap: number | undefined
}

/**
 * Reads the parameters `EXECUTE_IN`, `EXECUTE_TIMEOUT_SECONDS` and `MAX_HEAP_MB`.
 * @throws TritonError INVALID_ARG for other values.
 */
export function readExecution({ name, config }: Pick<ModelContext, 'name' | 'config'>): Execution {
  const text = (key: string): string | undefined => config.parameters[key]?.stringValue
  const place = text('EXECUTE_IN') ?? 'worker'
  if (place !== 'worker' && place !== 'inline') {
    const problem = `parameter 'EXECUTE_IN' of model '${name}' must be 'worker' or 'inline', got '${place}'`
    throw new TritonError('INVALID_ARG', problem)
  }
  const positive = (key: string): number | undefined => {
    const value = text(key)
    if (value === undefined) return undefined
    if (!(Number(value) > 0 && Number.isFinite(Number(value)))) {
      throw new TritonError('INVALID_ARG', `parameter '${key}' of model '${name}' must be above 0, got '${value}'`)
    }
    if (place === 'inline') {
      throw new TritonError('INVALID_ARG', `parameter '${key}' of model '${name}' needs EXECUTE_IN: 'worker'`)
    }
    return Number(value)
  }
  return { place, timeout: 1000 * (positive('EXECUTE_TIMEOUT_SECONDS') ?? 0), maxHeap: positive('MAX_HEAP_MB') }
}
