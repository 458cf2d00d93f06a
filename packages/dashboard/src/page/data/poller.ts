import type { LiveSnapshot } from '../../live-snapshot.ts'
import { type Api, ApiError } from './api.ts'

/** Milliseconds between two questions, and at most while there is no answer. */
const interval = 1000
const longest = 8000
/** Milliseconds after which an answer does not come any more. */
const patience = 10_000

export interface PollerListener {
  onSnapshot(snapshot: LiveSnapshot): void
  onFailure(error: ApiError): void
}

/** Asks for snapshots, one at a time, while the page is seen. */
export class Poller {
  readonly #api: Api
  readonly #listener: PollerListener
  #timer: number | undefined
  #asking = false
  #wait = interval

  constructor(api: Api, listener: PollerListener) {
    this.#api = api
    this.#listener = listener
    document.addEventListener('visibilitychange', () => this.start())
  }

  /** Asks at once; also to try again before the time. */
  start(): void {
    clearTimeout(this.#timer)
    if (!document.hidden && !this.#asking) void this.#ask()
  }

  async #ask(): Promise<void> {
    this.#asking = true
    const started = performance.now()
    try {
      const signal = AbortSignal.timeout(patience)
      this.#listener.onSnapshot((await this.#api.json('snapshot', { signal })) as LiveSnapshot)
      this.#wait = interval
    } catch (error) {
      this.#listener.onFailure(error instanceof ApiError ? error : new ApiError(0, 'the server does not answer'))
      this.#wait = Math.min(this.#wait * 2, longest)
    } finally {
      this.#asking = false
    }
    if (!document.hidden) {
      this.#timer = window.setTimeout(() => this.start(), Math.max(0, started + this.#wait - performance.now()))
    }
  }
}
