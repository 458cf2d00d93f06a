import { connect, type Socket } from 'node:net'

/** What a run of the load generator saw. */
export interface LoadResult {
  readonly requests: number
  /** Wall-clock time in milliseconds. */
  readonly duration: number
  /** Milliseconds at the 50th and 99th percentile. */
  readonly p50: number
  readonly p99: number
}

/** One HTTP/1.1 request as bytes; answers must carry a Content-Length. */
export function httpRequest(
  path: string,
  headers: Readonly<Record<string, string | number>>,
  body: Uint8Array,
): Buffer {
  const lines = Object.entries({ host: 'bench', ...headers, 'content-length': body.byteLength })
  const head = `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

/**
 * Sends the same request `count` times over `connections` keep-alive connections, each waiting for its answer before
 * the next request. It does as little as it can per request, so that the server is what is measured.
 */
export async function load(port: number, request: Buffer, count: number, connections: number): Promise<LoadResult> {
  const times = new Float64Array(count)
  let sent = 0
  let done = 0
  const start = performance.now()
  const drive = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let began = 0
      let expected = -1
      let received = 0
      const next = (): void => {
        if (sent === count) {
          socket.end()
          resolve()
          return
        }
        sent++
        expected = -1
        received = 0
        began = performance.now()
        socket.write(request)
      }
      socket.on('data', (chunk) => {
        received += chunk.byteLength
        if (expected < 0) expected = responseSize(chunk)
        if (received < expected) return
        times[done++] = performance.now() - began
        next()
      })
      socket.on('error', reject)
      next()
    })
  await Promise.all(
    Array.from({ length: connections }, () => drive(connect({ port, host: '127.0.0.1', noDelay: true }))),
  )
  const sorted = times.sort()
  const at = (share: number): number => sorted[Math.min(count - 1, Math.floor(count * share))] as number
  return { requests: count, duration: performance.now() - start, p50: at(0.5), p99: at(0.99) }
}

/** Head and body together; the head must be in the first chunk. */
function responseSize(chunk: Buffer): number {
  const end = chunk.indexOf('\r\n\r\n')
  const head = chunk.toString('latin1', 0, end)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (end < 0 || length === undefined || !head.startsWith('HTTP/1.1 200'))
    throw new Error(`unexpected answer: ${chunk.toString('latin1', 0, 300)}`)
  return end + 4 + Number(length)
}
