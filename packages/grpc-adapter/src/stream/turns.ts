import type { MessageParts } from '../transport/method.ts'

/** A place in the order of responses. */
export interface Turn {
  /** What is sent when the turn has come; nothing where there is nothing to send. Called once. */
  end(message?: MessageParts): void
}

interface Place {
  isOver: boolean
  message: MessageParts | undefined
  next: Place | undefined
}

/** Has messages sent in the order in which their turns were taken. */
export class Turns {
  readonly #send: (message: MessageParts) => void
  #first: Place | undefined
  #last: Place | undefined

  constructor(send: (message: MessageParts) => void) {
    this.#send = send
  }

  take(): Turn {
    const place: Place = { isOver: false, message: undefined, next: undefined }
    if (this.#last === undefined) this.#first = place
    else this.#last.next = place
    this.#last = place
    return {
      end: (message) => {
        place.isOver = true
        place.message = message
        this.#advance()
      },
    }
  }

  #advance(): void {
    while (this.#first?.isOver) {
      const { message } = this.#first
      this.#first = this.#first.next
      if (this.#first === undefined) this.#last = undefined
      if (message !== undefined) this.#send(message)
    }
  }
}
