import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { RunRequest, WorkerAnswer, WorkerRequest, WorkerStart } from '../messages.ts'
import { RunGate } from '../run-gate.ts'
import { toFailure } from './ort-error.ts'
import { OrtSession } from './ort-session.ts'

/**
 * The thread behind one `WorkerExecutor`: opens the session, runs it for each message, and ends when its port closes.
 * Waking a thread costs more than a tiny model takes, so after a short run it looks for the next request for a moment
 * before it goes back to sleep.
 */
const { port, gate: gateMemory, spec } = workerData as WorkerStart
const gate = new RunGate(gateMemory)

const shortRunMilliseconds = 0.1
const lookMilliseconds = 0.05
let served = 0

await inOnnxRuntime(async () => {
  try {
    const session = await OrtSession.open(spec)
    answer(port, { kind: 'opened', signature: session.signature })
    let serving = Promise.resolve()
    port.on('message', (request: WorkerRequest) => {
      serving = serving.then(() => serve(session, request))
    })
  } catch (error) {
    answer(port, { kind: 'failed', ...toFailure(error) })
    port.close()
  }
})

async function serve(session: OrtSession, first: WorkerRequest): Promise<void> {
  let request: WorkerRequest | undefined = first
  while (request !== undefined) {
    served++
    if (request.kind === 'close') {
      await inOnnxRuntime(() => session.release())
      port.close()
      return
    }
    const milliseconds = await run(session, request)
    request = milliseconds < shortRunMilliseconds ? nextRequest() : undefined
  }
}

async function run(session: OrtSession, request: RunRequest): Promise<number> {
  const { buffer } = request
  const start = performance.now()
  let milliseconds = 0
  await inOnnxRuntime(async () => {
    try {
      const outputs = await session.run(request)
      milliseconds = performance.now() - start
      const transfer = [buffer, ...outputs.map(({ bytes }) => bytes.buffer as ArrayBuffer)]
      answer(port, { kind: 'done', outputs, buffer, milliseconds }, transfer)
    } catch (error) {
      answer(port, { kind: 'failed', ...toFailure(error), buffer }, [buffer])
    }
  })
  return milliseconds
}

/** A request that arrives within a moment. */
function nextRequest(): WorkerRequest | undefined {
  const end = performance.now() + lookMilliseconds
  while (gate.requestCount === served) if (performance.now() > end) return undefined
  return receiveMessageOnPort(port)?.message
}

function answer(to: MessagePort, message: WorkerAnswer, transfer: ArrayBuffer[] = []): void {
  to.postMessage(message, transfer)
  gate.countAnswer()
}

/** Does nothing when the process is about to end. */
async function inOnnxRuntime(work: () => Promise<void>): Promise<void> {
  if (!gate.enter()) return
  try {
    await work()
  } finally {
    gate.leave()
  }
}
