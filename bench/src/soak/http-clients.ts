import { connect } from 'node:net'
import { binaryBody, jsonBody, send } from './http-request.ts'
import { expect, type SoakClient, type SoakTarget, sleep } from './soak-client.ts'

const large = new Uint8Array(new Float32Array(150_000).buffer)
const stream = (count: number, delay: number): string => JSON.stringify({ COUNT: count, DELAY: delay })

/** Sends bytes on a connection of its own, and cuts it after so many milliseconds. */
async function cutOff({ httpPort }: SoakTarget, text: string, after: number): Promise<void> {
  const socket = connect(httpPort, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(text)
  await sleep(after)
  socket.destroy()
}

const head = (path: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nHost: soak\r\nContent-Length: ${length}\r\n\r\n`

export const httpClients: readonly SoakClient[] = [
  {
    name: 'HTTP, JSON',
    copies: 4,
    async act(target, turn) {
      const body = jsonBody('INPUT0', 'FP32', [1, 2], [turn % 1000, 1])
      const answer = await send(target, { path: '/v2/models/identity_fp32/infer', body })
      const { outputs } = JSON.parse(answer.body.toString()) as { outputs: [{ data: number[] }] }
      expect(outputs[0].data[0] === turn % 1000, `another answer than the own: ${answer.body}`)
    },
  },
  {
    name: 'HTTP, binary, 600 KB',
    copies: 1,
    async act(target) {
      const request = binaryBody('INPUT0', 'FP32', [1, large.byteLength / 4], large)
      const { status, body } = await send(target, { path: '/v2/models/identity_fp32/infer', ...request })
      expect(status === 200 && body.byteLength > large.byteLength, `status ${status}, ${body.byteLength} bytes`)
    },
  },
  {
    name: 'generate_stream',
    copies: 2,
    async act(target) {
      const { body } = await send(target, { path: '/v2/models/repeat/generate_stream', body: stream(20, 1) })
      const events = body.toString().split('data: ').length - 1
      expect(events === 20, `${events} events, want 20`)
    },
  },
  {
    name: 'disconnects in an answer',
    copies: 2,
    act: (target, turn) => {
      const body = stream(1000, 5)
      return cutOff(target, head('/v2/models/repeat/generate_stream', body.length) + body, turn % 50)
    },
  },
  {
    name: 'disconnects in a request',
    copies: 1,
    act: (target, turn) => cutOff(target, `${head('/v2/models/identity_fp32/infer', 1000)}{"inputs":`, turn % 20),
  },
  {
    name: 'disconnects while it runs',
    copies: 2,
    act: (target, turn) => {
      const body = jsonBody('DELAY', 'INT32', [1, 1], [10_000])
      return cutOff(target, head('/v2/models/slow/infer', body.length) + body, 5 + (turn % 50))
    },
  },
  {
    name: 'metrics and statistics',
    copies: 1,
    async act(target) {
      const { status, body } = await send(target, { path: '/metrics', port: target.metricsPort })
      expect(status === 200 && body.includes('nv_inference_count'), `status ${status}`)
      expect((await send(target, { path: '/v2/models/stats' })).status === 200, 'no statistics')
      await sleep(100)
    },
  },
]
