import type { Socket } from 'node:net'
import type { BackendServer } from '@triton-ts/core/backend'
import type { Handlers } from '../messages/answerer.ts'
import type { AnswerMessage, CallMessage } from '../messages/call-message.ts'
import { toErrorMessage } from '../messages/error-message.ts'
import { FrameReader, frame } from '../messages/frame.ts'
import type { ServedModelMessage, ServerCalls, ServerQueries } from '../messages/nested-message.ts'

/** What the child's model asks and waits for. */
export const serverCalls = (server: BackendServer): Handlers<ServerCalls> => ({
  isReady: () => server.isReady(),
  isModelReady: (_, modelName, version) => server.isModelReady(modelName, version),
  bring: async (signal, modelName, request) => {
    const there = server.whenThere(modelName, { ...request, signal }, ({ timeoutMicroseconds }) => timeoutMicroseconds)
    return { hasWaited: there instanceof Promise, timeoutMicroseconds: await there }
  },
  load: (signal, modelName, options) => server.load(modelName, { ...options, signal }),
  unload: (_, modelName, options) => server.unload(modelName, options),
  index: (_, options) => server.index(options),
})

/** Answers what the child asks on a socket of its own while it does nothing else. */
export function answerQueries(socket: Socket, server: BackendServer): void {
  const reader = new FrameReader()
  socket.on('data', (bytes) => {
    try {
      for (const question of reader.push(bytes)) {
        socket.write(frame(answer(question as CallMessage<ServerQueries>, server)))
      }
    } catch {
      // A library wrote to a descriptor that is not its own. Whoever waits for an answer there ends.
      socket.destroy()
    }
  })
}

function answer(question: CallMessage<ServerQueries>, server: BackendServer): AnswerMessage {
  const { call } = question
  try {
    return { kind: 'returned', call, value: ask(question, server) }
  } catch (error) {
    return { kind: 'threw', call, error: toErrorMessage(error) }
  }
}

function ask(question: CallMessage<ServerQueries>, server: BackendServer): unknown {
  switch (question.method) {
    case 'model':
      return servedModel(server, ...question.args)
    case 'metadata':
      return server.metadata()
    case 'statistics':
      return server.statistics(...question.args)
    case 'metrics':
      return server.metrics()
  }
}

function servedModel(server: BackendServer, modelName: string, version: number): ServedModelMessage {
  const model = server.model(modelName, version)
  return {
    version: model.version,
    isDecoupled: model.isDecoupled,
    configJson: model.configJson(),
    metadata: model.metadata(),
  }
}
