import { type EventReceiver, readEvent } from './event-reader.ts'
import { RecordReader } from './record-reader.ts'

/**
 * Tells events in the order in which they were delivered. Whoever is told of one may start an inline run, which delivers
 * before it returns: what stands behind that event came earlier, so it is told before the run's own events.
 */
export class EventQueue {
  readonly #receiver: EventReceiver
  /** Deliveries that are not read to their end, the oldest first. */
  readonly #readers: RecordReader[] = []

  constructor(receiver: EventReceiver) {
    this.#receiver = receiver
  }

  /** Returns when all that was delivered so far is told. Never throws. */
  deliver(numbers: Float64Array, length: number, values: readonly unknown[]): void {
    this.#readers.push(new RecordReader(numbers, length, values))
    for (let oldest = this.#readers[0]; oldest !== undefined; oldest = this.#readers[0]) {
      if (oldest.isAtEnd) this.#readers.shift()
      else this.#tell(oldest)
    }
  }

  #tell(reader: RecordReader): void {
    try {
      readEvent(reader, this.#receiver)
    } catch (error) {
      this.#readers.shift()
      this.#receiver.failed(error)
    }
  }
}
