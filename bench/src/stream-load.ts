import { connect, type Socket } from 'node:net'
import { httpRequest } from './load.ts'
import { median } from './measure.ts'

/** What streams of one kind took. */
export interface StreamFigures {
  /** Responses of all streams in a second. */
  readonly rate: number
  /** Milliseconds until the first byte of the body, the median. */
  readonly first: number
}

const end = '0\r\n\r\n'
const event = 'data: '

/** A request for so many responses of the model `words`. */
export const streamRequest = (responses: number): Buffer =>
  httpRequest(
    '/v2/models/words/generate_stream',
    { 'content-type': 'application/json' },
    Buffer.from(JSON.stringify({ COUNT: responses })),
  )

/** Reads `streams` streams of so many responses over `connections` connections, one after the other on each. */
export async function loadStreams(
  port: number,
  responses: number,
  streams: number,
  connections: number,
): Promise<StreamFigures> {
  const request = streamRequest(responses)
  const firsts: number[] = []
  let begun = 0
  const start = performance.now()
  const drive = async (socket: Socket): Promise<void> => {
    while (begun < streams) {
      begun++
      firsts.push(await readStream(socket, request, responses))
    }
    socket.end()
  }
  const sockets = Array.from({ length: connections }, () => connect({ port, host: '127.0.0.1', noDelay: true }))
  await Promise.all(sockets.map(drive))
  const seconds = (performance.now() - start) / 1000
  return { rate: (streams * responses) / seconds, first: median(firsts) }
}

/** Resolves with the time to the first event when all are there. */
function readStream(socket: Socket, request: Buffer, responses: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    let first = 0
    let text = ''
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1')
      if (first === 0 && text.includes(event)) first = performance.now() - began
      if (!text.endsWith(end)) return
      socket.off('data', onData).off('error', reject)
      const events = text.split(event).length - 1
      if (events === responses) resolve(first)
      else reject(new Error(`${events} of ${responses} events: ${text.slice(0, 300)}`))
    }
    socket.on('data', onData).on('error', reject)
    socket.write(request)
  })
}
