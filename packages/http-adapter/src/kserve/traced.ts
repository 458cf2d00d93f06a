import type { InferenceTrace } from '@triton-ts/core'
import type { Delivery, UniversalResponse } from '../universal.ts'

/**
 * Has a trace know of the way of a request and its answer over the network. The body is the endpoint's to mark, with
 * `HTTP_RECV_END`.
 * @param trace undefined: the request is not traced.
 */
export function traced(
  trace: InferenceTrace | undefined,
  answer: () => UniversalResponse | Promise<UniversalResponse>,
): UniversalResponse | Promise<UniversalResponse> {
  return trace === undefined ? answer() : withTrace(trace, answer)
}

async function withTrace(
  trace: InferenceTrace,
  answer: () => UniversalResponse | Promise<UniversalResponse>,
): Promise<UniversalResponse> {
  trace.mark('HTTP_RECV_START')
  try {
    return { ...(await answer()), delivery: new TracedDelivery(trace) }
  } catch (error) {
    trace.release()
    throw error
  }
}

class TracedDelivery implements Delivery {
  readonly #trace: InferenceTrace
  #isBegun = false

  constructor(trace: InferenceTrace) {
    this.#trace = trace
  }

  begin(): void {
    this.#isBegun = true
    this.#trace.mark('HTTP_SEND_START')
  }

  end(): void {
    if (this.#isBegun) this.#trace.mark('HTTP_SEND_END')
    this.#trace.release()
  }
}
