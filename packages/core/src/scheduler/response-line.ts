import type { TritonError } from '../errors.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import type { InferenceResponse } from '../response/inference-response.ts'
import type { ResponseListener } from '../response/response-listener.ts'
import { type Linked, LinkedList } from '../util/linked-list.ts'

/** Requests in the order in which they are to be answered. */
export class ResponseLine {
  readonly #turns = new LinkedList<Turn>()

  /** Puts a request at the end: from now on what it answers is held back until it is its turn. */
  join(request: InferenceRequest): void {
    const turn = new Turn(this, request)
    this.#turns.push(turn)
    request.interceptResponses((listener) => turn.follow(listener))
  }

  isFirst(turn: Turn): boolean {
    return this.#turns.first === turn
  }

  /** Takes a request out, and lets those speak whose turn has come. */
  leave(turn: Turn): void {
    this.#remove(turn)
    for (let first = this.#turns.first; first?.speak(); first = this.#turns.first) this.#remove(first)
  }

  #remove(turn: Turn): void {
    this.#turns.remove(turn)
    turn.request.settle()
  }
}

/** The place of one request in the line. */
export class Turn implements ResponseListener, Linked<Turn> {
  list: LinkedList<Turn> | undefined
  previous: Turn | undefined
  next: Turn | undefined
  readonly request: InferenceRequest
  readonly #line: ResponseLine
  readonly #held: (() => void)[] = []
  #listener!: ResponseListener
  #ended = false

  constructor(line: ResponseLine, request: InferenceRequest) {
    this.#line = line
    this.request = request
  }

  follow(listener: ResponseListener): this {
    this.#listener = listener
    return this
  }

  onResponse(response: InferenceResponse, final: boolean): void {
    this.#say(() => this.#listener.onResponse(response, final), final)
  }

  onEnd(): void {
    this.#say(() => this.#listener.onEnd(), true)
  }

  /** A request that was given up, or that never ran, does not wait for others to be told. */
  onError(error: TritonError): void {
    if (this.request.hasRun && !this.request.isCancelled) this.#say(() => this.#listener.onError(error), true)
    else {
      this.#listener.onError(error)
      this.#line.leave(this)
    }
  }

  onDiscard(): void {
    this.#line.leave(this)
  }

  room(): Promise<void> | undefined {
    return this.#listener.room?.()
  }

  /** Delivers what was held back; true when nothing more comes. */
  speak(): boolean {
    for (const deliver of this.#held.splice(0)) deliver()
    return this.#ended
  }

  #say(deliver: () => void, isLast: boolean): void {
    this.#ended ||= isLast
    if (!this.#line.isFirst(this)) {
      this.#held.push(deliver)
      return
    }
    deliver()
    if (isLast) this.#line.leave(this)
  }
}
