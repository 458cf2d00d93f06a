import { connect } from 'node:net'

export interface RawRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: Uint8Array | undefined
  chunked?: boolean | undefined
}

export interface RawResponse {
  status: number
  /** Names in lower case. */
  headers: Map<string, string>
  body: Buffer
}

const timeoutMs = 30_000

/**
 * Sends exactly the request described, on a connection of its own: no header is added but Host and the body's length or transfer encoding.
 * Rejects when the connection breaks, the answer is not HTTP/1.1, or nothing comes for 30 seconds.
 */
export function sendRaw(port: number, request: RawRequest): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const reader = new ResponseReader(request.method === 'HEAD')
    const settle = (response: RawResponse | undefined, error?: Error) => {
      socket.destroy()
      if (response) resolve(response)
      else reject(error ?? new Error('the connection closed before a whole answer'))
    }
    socket.setTimeout(timeoutMs, () => settle(undefined, new Error(`no answer within ${timeoutMs / 1000} s`)))
    socket.on('error', (error) => settle(undefined, error))
    socket.on('end', () => settle(reader.finish()))
    socket.on('data', (chunk) => {
      try {
        const response = reader.push(chunk)
        if (response) settle(response)
      } catch (error) {
        settle(undefined, error instanceof Error ? error : new Error(String(error)))
      }
    })
    for (const part of encodeRequest(port, request)) socket.write(part)
  })
}

function encodeRequest(port: number, { method, path, headers, body, chunked }: RawRequest): (Buffer | Uint8Array)[] {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (chunked) lines.push('Transfer-Encoding: chunked')
  else if (body) lines.push(`Content-Length: ${body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return chunked ? [head, ...encodeChunks(body ?? new Uint8Array())] : body ? [head, body] : [head]
}

function encodeChunks(body: Uint8Array): (Buffer | Uint8Array)[] {
  const size = Math.max(1, Math.floor(body.length / 3))
  const parts: (Buffer | Uint8Array)[] = []
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size)
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
  }
  return [...parts, Buffer.from('0\r\n\r\n')]
}

/** Collects the bytes of one answer and says when it is whole. */
class ResponseReader {
  readonly #bodiless: boolean
  #chunks: Buffer[] = []
  #length = 0
  #head: { status: number; headers: Map<string, string> } | undefined

  constructor(bodiless: boolean) {
    this.#bodiless = bodiless
  }

  push(chunk: Buffer): RawResponse | undefined {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    while (!this.#head || this.#head.status < 200) if (!this.#readHead()) return undefined
    const { status, headers } = this.#head
    if (this.#bodiless || status === 204 || status === 304) return { status, headers, body: Buffer.alloc(0) }
    if (headers.get('transfer-encoding')?.toLowerCase() === 'chunked') {
      const body = decodeChunks(this.#bytes())
      return body && { status, headers, body }
    }
    const length = headers.get('content-length')
    if (length === undefined || this.#length < Number(length)) return undefined
    return { status, headers, body: this.#bytes().subarray(0, Number(length)) }
  }

  /** The answer when the server closed the connection: only one without a length is whole then. */
  finish(): RawResponse | undefined {
    if (!this.#head || this.#head.headers.has('content-length') || this.#head.headers.has('transfer-encoding'))
      return undefined
    return { ...this.#head, body: this.#bytes() }
  }

  #readHead(): boolean {
    const bytes = this.#bytes()
    const end = bytes.indexOf('\r\n\r\n')
    if (end < 0) return false
    const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
    const status = /^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]
    if (!status) throw new Error(`not an HTTP/1.1 answer: ${first}`)
    const headers = new Map<string, string>()
    for (const line of lines) {
      const colon = line.indexOf(':')
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
    }
    this.#head = { status: Number(status), headers }
    this.#chunks = [bytes.subarray(end + 4)]
    this.#length = bytes.length - end - 4
    return true
  }

  #bytes(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0]!
  }
}

function decodeChunks(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (!(size >= 0)) throw new Error('bad chunk size in the answer')
    if (bytes.length < lineEnd + 2 + size + 2) return undefined
    if (size === 0) return Buffer.concat(parts)
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
