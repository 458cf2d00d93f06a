import { errorDetail, TritonError } from '../errors.ts'
import { RestartDelay } from '../revival/restart-delay.ts'
import type { Clock } from '../util/clock.ts'

interface Pause {
  readonly delay: RestartDelay
  until: number
  error: TritonError
}

/** Models that could not be loaded: each is tried again at its next request, but not more and more often. */
export class LoadPauses {
  readonly #clock: Clock
  readonly #pauses = new Map<string, Pause>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Why a model is not tried again yet; undefined when it may be. */
  of(name: string): TritonError | undefined {
    const pause = this.#pauses.get(name)
    if (pause === undefined) return undefined
    const rest = pause.until - this.#clock.now()
    return rest > 0 ? loadError(name, pause.error, rest) : undefined
  }

  /** The model could not be loaded. The pauses are 0, 1, 2, 4 ... 30 seconds. Returns what its requests hear. */
  failed(name: string, error: TritonError): TritonError {
    const pause = this.#pauses.get(name) ?? { delay: new RestartDelay(), until: 0, error }
    const rest = pause.delay.down(this.#clock.now())
    pause.until = this.#clock.now() + rest
    pause.error = error
    this.#pauses.set(name, pause)
    return loadError(name, error, rest)
  }

  /** It is there, or is not to be remembered any more. */
  end(name: string): void {
    this.#pauses.delete(name)
  }
}

function loadError(name: string, cause: TritonError, rest: number): TritonError {
  const when = rest > 0 ? `; it is tried again in ${Math.ceil(rest / 1000)} s` : ''
  return new TritonError('UNAVAILABLE', `model '${name}' could not be loaded: ${errorDetail(cause)}${when}`, { cause })
}
