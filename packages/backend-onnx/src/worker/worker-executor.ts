import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { Tensor, TritonError } from '@triton-ts/core'
import type { ExitGuard } from './exit-guard.ts'
import { FeedBuffer } from './feed-buffer.ts'
import type { RunAnswer, WorkerAnswer, WorkerRequest, WorkerStart } from './messages.ts'
import type { Feed, ModelSignature, OnnxExecutor } from './onnx-executor.ts'
import { RunGate } from './run-gate.ts'
import type { SessionSpec } from './session-spec.ts'
import { workerUrl } from './worker-url.ts'

/** An answer that comes sooner is worth looking for in every turn of the event loop, instead of waiting to be woken. */
const shortRunMilliseconds = 0.1
const lookMilliseconds = 0.15

interface Waiter {
  resolve(answer: WorkerAnswer): void
  reject(error: TritonError): void
}

/**
 * onnxruntime-node in a thread of its own, since its calls block. Memory is transferred: inputs are copied once into a
 * buffer that goes back and forth, outputs come as they are. The thread is never terminated, it is asked to end. While
 * it is idle it does not keep the process alive.
 */
export class WorkerExecutor implements OnnxExecutor {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #gate = new RunGate()
  readonly #guard: ExitGuard
  readonly #feedBuffer = new FeedBuffer()
  readonly #ended: Promise<void>
  #signature: ModelSignature | undefined
  #isAlive = true
  #waiter: Waiter | undefined
  #answersSeen = 0
  #lookUntil = 0
  #isLooking = false
  #lastRunMilliseconds = Number.POSITIVE_INFINITY

  private constructor(spec: SessionSpec, guard: ExitGuard, worker: URL) {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#guard = guard
    const workerData: WorkerStart = { port: port2, gate: this.#gate.memory, spec }
    // Flags such as --eval or --import of the process are not for the worker.
    this.#worker = new Worker(worker, { workerData, transferList: [port2], name: 'onnxruntime', execArgv: [] })
    this.#worker.unref()
    guard.add(this.#gate)
    let cause: unknown
    this.#worker.on('error', (error) => {
      cause = error
    })
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', (code) => {
        this.#end(code, cause)
        resolve()
      })
    })
    this.#port.on('message', (answer: WorkerAnswer) => this.#receive(answer))
    this.#port.unref()
  }

  /** Starts a thread and opens the session in it. The last parameter is for tests. */
  static async open(
    spec: SessionSpec,
    signal: AbortSignal,
    guard: ExitGuard,
    worker: URL = workerUrl,
  ): Promise<WorkerExecutor> {
    signal.throwIfAborted()
    const executor = new WorkerExecutor(spec, guard, worker)
    const { promise: aborted, stop } = whenAborted(signal)
    try {
      const answer = await Promise.race([executor.#answer(), aborted])
      if (answer.kind !== 'opened') throw toError(answer)
      executor.#signature = answer.signature
      return executor
    } catch (error) {
      void executor.dispose()
      throw error
    } finally {
      stop()
    }
  }

  get signature(): ModelSignature {
    return this.#signature as ModelSignature
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  async run(feeds: readonly Feed[], outputs: readonly string[]): Promise<readonly Tensor[]> {
    if (!this.#isAlive) throw new TritonError('UNAVAILABLE', 'the ONNX Runtime worker has ended')
    const { buffer, layout } = this.#feedBuffer.fill(feeds)
    const answering = this.#answer()
    this.#post({ kind: 'run', buffer, feeds: layout, outputs }, [buffer])
    if (this.#lastRunMilliseconds < shortRunMilliseconds) {
      this.#lookUntil = performance.now() + lookMilliseconds
      this.#lookSoon()
    }
    const answer = await answering
    if ('buffer' in answer && answer.buffer !== undefined) this.#feedBuffer.giveBack(answer.buffer)
    if (answer.kind !== 'done') throw toError(answer)
    this.#lastRunMilliseconds = answer.milliseconds
    return toTensors(answer)
  }

  async dispose(): Promise<void> {
    this.#worker.ref()
    if (this.#isAlive) this.#post({ kind: 'close' })
    await this.#ended
  }

  /** The next answer. Waiting for it keeps the process alive. */
  #answer(): Promise<WorkerAnswer> {
    this.#port.ref()
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject }
    })
  }

  #post(request: WorkerRequest, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(request, transfer)
    this.#gate.countRequest()
  }

  #receive(answer: WorkerAnswer): void {
    this.#answersSeen++
    this.#settle()?.resolve(answer)
  }

  #lookSoon(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    setImmediate(this.#look)
  }

  readonly #look = (): void => {
    this.#isLooking = false
    if (this.#waiter === undefined) return
    if (this.#gate.answerCount !== this.#answersSeen) {
      const received = receiveMessageOnPort(this.#port)
      if (received !== undefined) this.#receive(received.message)
    } else if (performance.now() < this.#lookUntil) this.#lookSoon()
  }

  #settle(): Waiter | undefined {
    const waiter = this.#waiter
    this.#waiter = undefined
    this.#port.unref()
    return waiter
  }

  #end(code: number, cause: unknown): void {
    this.#isAlive = false
    this.#guard.delete(this.#gate)
    const reason = cause instanceof Error ? cause.message : `exit code ${code}`
    this.#settle()?.reject(
      new TritonError('INTERNAL', `the ONNX Runtime worker ended unexpectedly: ${reason}`, { cause }),
    )
    this.#port.close()
  }
}

function toTensors({ outputs }: RunAnswer): Tensor[] {
  return outputs.map(({ datatype, shape, bytes }) => Tensor.fromBytes(datatype, shape, bytes))
}

function toError(answer: WorkerAnswer): TritonError {
  return answer.kind === 'failed'
    ? new TritonError(answer.code, answer.message)
    : new TritonError('INTERNAL', `the ONNX Runtime worker gave an unexpected answer: ${answer.kind}`)
}

/** A promise that rejects with the signal's reason, and a way to stop listening. */
function whenAborted(signal: AbortSignal): { promise: Promise<never>; stop: () => void } {
  let stop = (): void => {}
  const promise = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    stop = () => signal.removeEventListener('abort', onAbort)
  })
  return { promise, stop }
}
