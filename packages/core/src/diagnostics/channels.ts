import { type Channel, channel } from 'node:diagnostics_channel'
import type { ServerEvents } from '../server-events.ts'
import type { BatchMessage, RefusalMessage, RequestMessage } from './messages.ts'

/** A channel of `node:diagnostics_channel` whose messages have a type. */
export interface TypedChannel<Message> extends Omit<Channel, 'publish' | 'subscribe' | 'unsubscribe'> {
  publish(message: Message): void
  subscribe(listener: (message: Message, name: string | symbol) => void): void
  unsubscribe(listener: (message: Message, name: string | symbol) => void): boolean
}

// Node's own table of channels is the process's; a channel holds nothing but who listens.
const named = <Message>(name: string): TypedChannel<Message> => channel(`triton-ts:${name}`) as TypedChannel<Message>

/**
 * What this process's Servers do, for monitoring tools. Publishing to a channel that nobody listens to costs nothing.
 * What a subscriber throws costs no request, but Node.js reports it as an uncaught exception, which ends a process that
 * does not handle those.
 */
export const diagnostics = {
  /** `triton-ts:request:start`: a model version took a request. */
  requestStart: named<RequestMessage>('request:start'),
  /** `triton-ts:request:end`: its caller has the last answer, or the error; the message is the one of the start. */
  requestEnd: named<RequestMessage>('request:end'),
  /** `triton-ts:request:refused`: a model version did not take a request, which does not fit. */
  requestRefused: named<RefusalMessage>('request:refused'),
  /** `triton-ts:batch:start`: an instance begins to run requests. */
  batchStart: named<BatchMessage>('batch:start'),
  /** `triton-ts:batch:end`: it has run them; the message is the one of the start. */
  batchEnd: named<BatchMessage>('batch:end'),
  /** The events of a Server, by their names; the messages are what its listeners are told. */
  server: {
    /** `triton-ts:model:ready` */
    modelReady: named<ServerEvents['modelReady'][0]>('model:ready'),
    /** `triton-ts:model:updated` */
    modelUpdated: named<ServerEvents['modelUpdated'][0]>('model:updated'),
    /** `triton-ts:model:unavailable` */
    modelUnavailable: named<ServerEvents['modelUnavailable'][0]>('model:unavailable'),
    /** `triton-ts:model:download` */
    downloadProgress: named<ServerEvents['downloadProgress'][0]>('model:download'),
    /** `triton-ts:server:state` */
    stateChange: named<ServerEvents['stateChange'][0]>('server:state'),
  },
} as const
