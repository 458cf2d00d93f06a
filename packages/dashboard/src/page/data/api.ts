/** An answer that is none. `status` 0: the server cannot be reached. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export interface ApiRequest {
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
}

/** Asks the server that the page came from, below the place that it was mounted at. */
export class Api {
  readonly #base: string
  #key: string | undefined

  /** @param path of the page. */
  constructor(path: string) {
    this.#base = path.endsWith('/') ? path : `${path}/`
  }

  /** Sends the key with every request from now on; it is nowhere but here. */
  useKey(key: string): void {
    this.#key = key
  }

  /** A GET, or a POST where there is a body. @throws ApiError for all but success. */
  async request(path: string, { body, headers, signal }: ApiRequest = {}): Promise<Response> {
    const init: RequestInit = {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(this.#key !== undefined && { Authorization: `Bearer ${this.#key}` }),
        ...headers,
      },
      cache: 'no-store',
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
    }
    const response = await fetch(this.#base + path, init).catch((error: unknown) => {
      if (signal?.aborted) throw error
      throw new ApiError(0, 'the server cannot be reached')
    })
    if (!response.ok) throw new ApiError(response.status, await errorOf(response))
    return response
  }

  async json(path: string, request?: ApiRequest): Promise<unknown> {
    return (await this.request(path, request)).json()
  }
}

async function errorOf(response: Response): Promise<string> {
  const text = await response.text()
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown }
    if (typeof error === 'string') return error
  } catch {
    // Not ours, of a proxy for instance.
  }
  return text === '' ? `HTTP ${response.status}` : text
}

/** A model as it stands in a path. Only an id with a namespace is decoded there; see the HTTP adapter. */
export const modelPath = (id: string): string =>
  `v2/models/${id.includes('::') ? encodeURIComponent(id) : id.replace(/[?#%]/g, encodeURIComponent)}`
