import { request } from 'node:http'
import type { SoakTarget } from './soak-client.ts'

export interface Sent {
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Default: that of HTTP. */
  readonly port?: number
}

export interface Answer {
  readonly status: number
  readonly body: Buffer
}

/** Sends a request on a connection that may be an old one, and reads the whole answer. */
export function send({ agent, httpPort }: SoakTarget, sent: Sent): Promise<Answer> {
  const { path, headers = {}, body, port = httpPort, method = body === undefined ? 'GET' : 'POST' } = sent
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, agent, headers: { ...headers, ...length } }
    const outgoing = request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** The body of a request for inference, with data in JSON. */
export const jsonBody = (name: string, datatype: string, shape: readonly number[], data: readonly unknown[]): string =>
  JSON.stringify({ inputs: [{ name, datatype, shape, data }] })

/** The same for one tensor in binary, which wants its output in binary too. */
export function binaryBody(
  name: string,
  datatype: string,
  shape: readonly number[],
  data: Uint8Array,
): { readonly headers: Record<string, string>; readonly body: Uint8Array } {
  const parameters = { binary_data_size: data.byteLength }
  const header = JSON.stringify({
    parameters: { binary_data_output: true },
    inputs: [{ name, datatype, shape, parameters }],
  })
  return {
    headers: { 'inference-header-content-length': String(Buffer.byteLength(header)) },
    body: Buffer.concat([Buffer.from(header), data]),
  }
}
