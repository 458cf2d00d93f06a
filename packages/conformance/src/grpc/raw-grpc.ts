import { setTimeout } from 'node:timers/promises'
import { type Client, Metadata, type ServiceError, status } from '@grpc/grpc-js'

export interface RawCall {
  path: string
  metadata?: Readonly<Record<string, string>> | undefined
  /** Of a stream any number, else one. */
  requests: readonly Uint8Array[]
}

/** What became of a call: the messages that came, and how it ended. */
export interface RawAnswer {
  /** Name of the status, `OK` or `NOT_FOUND` for instance. */
  code: string
  message: string
  responses: Buffer[]
}

const timeoutMs = 20_000

/** How long a stream waits for the response to its last request before it sends the next one. */
const turnMs = 5000

const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes)
const deadline = (): { deadline: number } => ({ deadline: Date.now() + timeoutMs })

const failure = ({ code, details }: ServiceError, responses: Buffer[] = []): RawAnswer => ({
  code: status[code],
  message: details,
  responses,
})

/** Sends bytes and takes bytes; grpc-js sees neither's meaning. */
export function callUnary(client: Client, { path, metadata, requests }: RawCall): Promise<RawAnswer> {
  const headers = Metadata.fromHttp2Headers({ ...metadata })
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      path,
      asIs,
      asIs,
      requests[0] ?? Buffer.alloc(0),
      headers,
      deadline(),
      (error, response) => {
        resolve(error ? failure(error) : { code: 'OK', message: '', responses: response ? [response] : [] })
      },
    )
  })
}

/** @param inTurn whether a request is sent only when the one before has a response. Default: all at once. */
export async function callStream(
  client: Client,
  { path, metadata, requests }: RawCall,
  { inTurn = false }: { readonly inTurn?: boolean } = {},
): Promise<RawAnswer> {
  const responses: Buffer[] = []
  const call = client.makeBidiStreamRequest(path, asIs, asIs, Metadata.fromHttp2Headers({ ...metadata }), deadline())
  let hear = (): void => {}
  call.on('data', (response: Buffer) => {
    responses.push(response)
    hear()
  })
  const end = new Promise<RawAnswer>((resolve) => {
    call.on('error', (error: ServiceError) => resolve(failure(error, responses)))
    call.on('status', ({ code, details }) => resolve({ code: status[code], message: details, responses }))
  })
  for (const [i, request] of requests.entries()) {
    if (inTurn && i > 0 && responses.length < i) {
      const heard = new Promise<void>((resolve) => {
        hear = resolve
      })
      await Promise.race([heard, end, setTimeout(turnMs)])
    }
    call.write(request)
  }
  call.end()
  return end
}
