import { TritonError } from '../errors.ts'
import type { ResponseListener } from '../response/response-listener.ts'

interface Cancellable {
  cancel(): void
}

/** A request whose model is not there yet: it can be cancelled all the same. */
export class LateRequest implements Cancellable {
  readonly #waiting = new AbortController()
  #sent: Cancellable | undefined

  /**
   * @param send waits for the model, at most until the signal, and sends the request.
   * @param listener hears when it could not be sent.
   * @param signal of the request.
   */
  constructor(
    send: (signal: AbortSignal) => Promise<Cancellable>,
    listener: ResponseListener,
    signal: AbortSignal | undefined,
  ) {
    const own = this.#waiting.signal
    void this.#send(send(signal === undefined ? own : AbortSignal.any([signal, own])), listener)
  }

  cancel(): void {
    this.#waiting.abort()
    this.#sent?.cancel()
  }

  async #send(sending: Promise<Cancellable>, listener: ResponseListener): Promise<void> {
    try {
      this.#sent = await sending
      if (this.#waiting.signal.aborted) this.#sent.cancel()
    } catch (error) {
      if (!this.#waiting.signal.aborted) listener.onError(TritonError.from(error))
    }
  }
}
