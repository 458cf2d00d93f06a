import { Client, credentials, Metadata, status } from '@grpc/grpc-js'
import { callStream, callUnary } from '../../../packages/conformance/src/grpc/raw-grpc.ts'
import { inferMessage, inferPath, int32, streamPath } from './grpc-message.ts'
import { expect, type SoakClient, type SoakTarget, sleep } from './soak-client.ts'

const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes)
const row = Array.from({ length: 16 }, (_, i) => i)
const sums = inferMessage({
  model: 'add_sub_int32',
  inputs: [int32('INPUT0', [1, 16], row), int32('INPUT1', [1, 16], row)],
})
const slow = inferMessage({ model: 'slow', inputs: [int32('DELAY', [1, 1], [10_000])] })
const repeat = (count: number, delay: number): Uint8Array =>
  inferMessage({
    model: 'repeat',
    inputs: [int32('COUNT', [1], [count]), int32('DELAY', [1], [delay])],
    parameters: { triton_enable_empty_final_response: true },
  })

/** A connection of its own for calls that are given up: a server may end one on which too many streams are reset. */
async function withOwnConnection<T>({ grpcPort }: SoakTarget, work: (client: Client) => Promise<T>): Promise<T> {
  const options = { 'grpc.use_local_subchannel_pool': 1 }
  const client = new Client(`127.0.0.1:${grpcPort}`, credentials.createInsecure(), options)
  try {
    // A client that is closed before it has connected keeps its connection for ever.
    await connected(client)
    return await work(client)
  } finally {
    client.close()
  }
}

const connected = (client: Client): Promise<void> =>
  new Promise((resolve, reject) => {
    client.waitForReady(Date.now() + 10_000, (error) => (error === undefined ? resolve() : reject(error)))
  })

/** Begins a call and cancels it after so many milliseconds; resolves when it has ended. */
function cancelled(client: Client, path: string, request: Uint8Array, after: number): Promise<void> {
  return new Promise((resolve) => {
    const call = client.makeBidiStreamRequest(path, asIs, asIs, new Metadata(), {})
    call.on('data', () => {})
    call.on('error', () => resolve())
    call.on('end', () => resolve())
    call.write(request)
    if (path === inferPath) call.end()
    setTimeout(() => call.cancel(), after)
  })
}

/** Makes a call whose deadline is that many milliseconds away. */
function expired(client: Client, request: Uint8Array, after: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const deadline = Date.now() + after
    client.makeUnaryRequest(inferPath, asIs, asIs, request, new Metadata(), { deadline }, (error) => {
      if (error?.code === status.DEADLINE_EXCEEDED) resolve()
      else reject(new Error(`${error?.message ?? 'an answer'}, want DEADLINE_EXCEEDED`))
    })
  })
}

let sequenceId = 1

export const grpcClients: readonly SoakClient[] = [
  {
    name: 'gRPC',
    copies: 4,
    async act({ grpc }) {
      const { code, responses } = await callUnary(grpc, { path: inferPath, requests: [sums] })
      expect(code === 'OK' && responses.length === 1, code)
    },
  },
  {
    name: 'gRPC stream, decoupled',
    copies: 2,
    async act({ grpc }) {
      const requests = [repeat(10, 1), repeat(0, 0), repeat(5, 2)]
      const { code, responses } = await callStream(grpc, { path: streamPath, requests })
      expect(code === 'OK' && responses.length === 18, `${code}, ${responses.length} responses, want 18`)
    },
  },
  {
    name: 'gRPC stream, sequences',
    copies: 2,
    async act({ grpc }) {
      const sequence_id = sequenceId++
      const requests = [0, 1, 2, 3].map((n) =>
        inferMessage({
          model: 'seq_oldest',
          inputs: [int32('INPUT', [1, 1], [n])],
          parameters: { sequence_id, sequence_start: n === 0, sequence_end: n === 3 },
        }),
      )
      const { code, responses } = await callStream(grpc, { path: streamPath, requests })
      expect(code === 'OK' && responses.length === 4, `${code}, ${responses.length} responses, want 4`)
    },
  },
  {
    name: 'gRPC, cancelled',
    copies: 2,
    act: (target, turn) => withOwnConnection(target, (client) => cancelled(client, inferPath, slow, turn % 40)),
  },
  {
    name: 'gRPC stream, cancelled',
    copies: 2,
    act: (target, turn) =>
      withOwnConnection(target, (client) => cancelled(client, streamPath, repeat(1000, 2), turn % 40)),
  },
  {
    name: 'gRPC, deadlines',
    copies: 2,
    act: (target, turn) => withOwnConnection(target, (client) => expired(client, slow, 5 + (turn % 50))),
  },
  {
    name: 'gRPC, bad input',
    copies: 1,
    async act({ grpc }, turn) {
      const garbage = Uint8Array.from({ length: 64 }, (_, i) => (turn * 31 + i * 17) % 256)
      const nobody = inferMessage({ model: 'nobody', inputs: [] })
      for (const request of [garbage, nobody]) {
        const { code } = await callUnary(grpc, { path: inferPath, requests: [request] })
        expect(code !== 'OK', 'bad input was taken')
        await callStream(grpc, { path: streamPath, requests: [request] })
      }
      const { code } = await callUnary(grpc, { path: '/inference.GRPCInferenceService/Nothing', requests: [sums] })
      expect(code === 'UNIMPLEMENTED', code)
      await sleep(10)
    },
  },
]
