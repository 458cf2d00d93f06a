import { parentPort, workerData } from 'node:worker_threads'
import { Answerer, Asker } from '../messages/asker.ts'
import type { ServerMessage, ServerQuestions, WorkerMessage, WorkerSpec } from '../messages/messages.ts'
import { Outbox } from '../messages/outbox.ts'
import { RemoteServer } from './remote-server.ts'
import { serverLogger } from './server-logger.ts'
import { ThreadBatch } from './thread-batch.ts'
import { ThreadModel } from './thread-model.ts'

/** The thread of one instance. It does what the Server says until that ends it. */
function host(port: NonNullable<typeof parentPort>, spec: WorkerSpec): void {
  process.setSourceMapsEnabled(true)
  const { send } = new Outbox<WorkerMessage>(port)
  const asker = new Asker<ServerQuestions>(send)
  const model = new ThreadModel(spec, {
    logger: serverLogger(send),
    server: new RemoteServer(asker),
    record: (change) => send({ kind: 'metric', change }),
  })
  const answerer = new Answerer(model.answers, send)
  const batches = new Map<number, ThreadBatch>()

  const receive = (message: ServerMessage): void => {
    switch (message.kind) {
      case 'ask':
      case 'abandon':
        void answerer.receive(message)
        break
      case 'answer':
      case 'refuse':
        asker.receive(message)
        break
      case 'execute': {
        const batch = new ThreadBatch(message, send, () => batches.delete(message.batch))
        batches.set(message.batch, batch)
        void batch.run(model.instance)
        break
      }
      case 'cancel':
        batches.get(message.batch)?.cancel(message.request)
        break
      case 'taken':
        batches.get(message.batch)?.taken(message.request)
        break
    }
  }
  port.on('message', (messages: readonly ServerMessage[]) => {
    for (const message of messages) receive(message)
  })
}

if (parentPort !== null) host(parentPort, workerData as WorkerSpec)
