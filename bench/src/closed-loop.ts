import { Agent, request } from 'node:http'

/** A POST request. */
export interface HttpRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Uint8Array
}

/** One request of a closed loop. */
export interface Call {
  /** When it was sent and answered, in milliseconds of `performance.now`. */
  readonly began: number
  readonly ended: number
  /** Whether the answer had status 200. */
  readonly succeeded: boolean
}

/** Callers who send the same request to this machine again and again, each as soon as it has its answer, until `stop`. */
export class ClosedLoop {
  /** Those that were answered, in the order of their answers. */
  readonly calls: Call[] = []
  readonly #port: number
  readonly #request: HttpRequest
  readonly #agent = new Agent({ keepAlive: true })
  readonly #callers: Promise<unknown>
  #isOver = false

  constructor(port: number, request: HttpRequest, callers: number) {
    this.#port = port
    this.#request = request
    this.#callers = Promise.all(Array.from({ length: callers }, () => this.#call()))
  }

  /** Resolves when each caller has its last answer. */
  async stop(): Promise<void> {
    this.#isOver = true
    await this.#callers
    this.#agent.destroy()
  }

  async #call(): Promise<void> {
    while (!this.#isOver) {
      const began = performance.now()
      const succeeded = await this.#send().catch(() => false)
      this.calls.push({ began, ended: performance.now(), succeeded })
    }
  }

  #send(): Promise<boolean> {
    const { path, headers, body } = this.#request
    return new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port: this.#port,
        path,
        method: 'POST',
        headers: { ...headers, 'content-length': body.byteLength },
        agent: this.#agent,
      }
      const sent = request(options, (response) => {
        response.on('end', () => resolve(response.statusCode === 200))
        response.on('error', reject)
        response.resume()
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }
}
