import { isMainThread } from 'node:worker_threads'
import { HostedBatch } from './child/hosted-batch.ts'
import { HostedModel } from './child/hosted-model.ts'
import { startLifeLine, watchParent } from './child/life-line.ts'
import { sendToParent } from './child/parent-link.ts'
import { RemoteServer } from './child/remote-server.ts'
import { Answerer } from './messages/answerer.ts'
import { Caller } from './messages/caller.ts'
import type { ParentMessage } from './messages/messages.ts'
import type { ServerCalls } from './messages/nested-message.ts'

/** The process of one model version. It does what the parent says and ends with it. */
function host(): void {
  startLifeLine(new URL(import.meta.url))
  // A terminal sends these to all processes; the parent decides when the model ends.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  process.once('disconnect', () => process.exit())
  const caller = new Caller<ServerCalls>(sendToParent)
  const remote = new RemoteServer(sendToParent, caller)
  const model = new HostedModel(sendToParent, remote.server)
  const answerer = new Answerer(model.handlers, sendToParent)
  const batches = new Map<number, HostedBatch>()

  const execute = ({ batch: id, instance, requests }: Extract<ParentMessage, { kind: 'execute' }>): void => {
    const batch = new HostedBatch(
      requests,
      (event) => sendToParent({ kind: 'batch', batch: id, event }),
      () => {
        batches.delete(id)
        model.sendStatus()
      },
    )
    batches.set(id, batch)
    void batch.run(model.instance(instance))
  }

  process.on('message', (message: ParentMessage) => {
    switch (message.kind) {
      case 'call':
        void answerer.answer(message)
        break
      case 'abort':
        answerer.abort(message)
        break
      case 'returned':
      case 'threw':
        caller.receive(message)
        break
      case 'execute':
        execute(message)
        break
      case 'cancel':
        batches.get(message.batch)?.cancel(message.request)
        break
      case 'askStatus':
        model.sendStatus()
        break
      case 'nestedResponse':
        remote.respond(message.stream, message.response)
        break
      case 'nestedEnd':
        remote.end(message.stream, message.error)
        break
    }
  })
}

if (isMainThread) host()
else watchParent()
