import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { BodyStream, Delivery, StreamedResponse, UniversalHandler, UniversalResponse } from '../universal.ts'
import { HttpService } from './http-service.ts'

const large = Buffer.alloc(1 << 20)
const head = { status: 200, headers: [] }

function endless(events: EventEmitter, delivery?: Delivery): StreamedResponse {
  const body: BodyStream = {
    next: async () => ({ done: false, value: [large] }),
    async return() {
      events.emit('left')
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => body,
  }
  return { ...head, body, delivery }
}

const listen = (handler: UniversalHandler): Promise<HttpService> =>
  HttpService.listen(handler, { port: 0, host: '127.0.0.1' })

function pipeline({ port }: HttpService): Socket {
  const client = connect(port, '127.0.0.1')
  client.write('GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /second HTTP/1.1\r\nHost: x\r\n\r\n')
  return client
}

test.each(['whole', 'streamed'] as const)(
  'a %s answer that waits for its turn in a pipeline is over when the client leaves',
  async (kind) => {
    const events = new EventEmitter()
    const seen: string[] = []
    for (const name of ['ended', 'left']) events.on(name, () => seen.push(name))
    const delivery: Delivery = { begin() {}, end: () => void events.emit('ended') }
    await using service = await listen(async ({ path, signal }): Promise<UniversalResponse> => {
      if (path === '/first') {
        await once(signal as AbortSignal, 'abort')
        return { ...head, body: '' }
      }
      // Answers are sent at the end of the turn.
      setImmediate(() => setImmediate(() => events.emit('handed over')))
      return kind === 'whole' ? { ...head, body: 'x', delivery } : endless(events, delivery)
    })
    const client = pipeline(service)
    await once(events, 'handed over')
    client.destroy()
    await once(events, kind === 'whole' ? 'ended' : 'left')
    expect(seen).toEqual(kind === 'whole' ? ['ended'] : ['ended', 'left'])
  },
)
