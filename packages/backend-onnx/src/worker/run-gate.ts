const state = 0
const requests = 1
const answers = 2

const idle = 0
const running = 1
const shut = 2

/**
 * A few shared words between a worker and the thread that owns it. Node aborts the whole process when a worker is
 * stopped inside ONNX Runtime, so the worker enters it only through this gate, and whoever ends the process shuts the
 * gate first. The counters tell either side that a message is there, without asking its port.
 */
export class RunGate {
  readonly memory: SharedArrayBuffer
  readonly #words: Int32Array

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(12)) {
    this.memory = memory
    this.#words = new Int32Array(memory)
  }

  /** Called by the worker before it calls ONNX Runtime. False: the process ends, it must not call any more. */
  enter(): boolean {
    return Atomics.compareExchange(this.#words, state, idle, running) === idle
  }

  leave(): void {
    Atomics.store(this.#words, state, idle)
    Atomics.notify(this.#words, state)
  }

  /**
   * Waits for the worker to leave ONNX Runtime and keeps it out from then on. Blocks: only for the end of a process.
   * @returns false when it did not leave in that many milliseconds.
   */
  shut(patience = Number.POSITIVE_INFINITY): boolean {
    const end = performance.now() + patience
    while (Atomics.compareExchange(this.#words, state, idle, shut) === running) {
      if (Atomics.wait(this.#words, state, running, end - performance.now()) === 'timed-out') return false
    }
    return true
  }

  /** Messages posted to the worker so far. */
  get requestCount(): number {
    return Atomics.load(this.#words, requests)
  }

  countRequest(): void {
    Atomics.add(this.#words, requests, 1)
  }

  /** Messages posted by the worker so far. */
  get answerCount(): number {
    return Atomics.load(this.#words, answers)
  }

  countAnswer(): void {
    Atomics.add(this.#words, answers, 1)
  }
}
