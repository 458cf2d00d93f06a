import type { Tensor } from '@triton-ts/core'

/** The parts of a model's metadata that the image client needs. */
export interface TensorInfo {
  readonly name: string
  readonly datatype: string
  readonly shape: readonly number[]
}

export interface ModelInfo {
  readonly name: string
  readonly inputs: readonly TensorInfo[]
  readonly outputs: readonly TensorInfo[]
}

/** The parts of a model's configuration that the image client needs. */
export interface ModelSettings {
  readonly max_batch_size: number
  readonly input: readonly { readonly format?: string }[]
}

/** The few requests of KServe's protocol that the image client sends. */
export class HttpClient {
  readonly #base: string

  /**
   * @param url `host:port`, or with `http://` or `https://` before it.
   * @throws Error when it is neither.
   */
  constructor(url: string, model: string, version = '') {
    const origin = (/^https?:\/\//.test(url) ? url : `http://${url}`).replace(/\/+$/, '')
    if (!URL.canParse(origin)) throw new Error(`'${url}' is not the address of a server, expecting host:port`)
    const suffix = version === '' ? '' : `/versions/${encodeURIComponent(version)}`
    this.#base = `${origin}/v2/models/${encodeURIComponent(model)}${suffix}`
  }

  async metadata(): Promise<ModelInfo> {
    return (await this.#request('', 'failed to retrieve the metadata')) as ModelInfo
  }

  async config(): Promise<ModelSettings> {
    return (await this.#request('/config', 'failed to retrieve the config')) as ModelSettings
  }

  /** The best `classes` classes of every item, each `value:index` or `value:index:label`. */
  async classify(input: string, tensor: Tensor, output: string, classes: number): Promise<readonly string[]> {
    const { datatype, shape, bytes } = tensor
    const header = JSON.stringify({
      inputs: [{ name: input, datatype, shape, parameters: { binary_data_size: bytes.byteLength } }],
      outputs: [{ name: output, parameters: { classification: classes } }],
    })
    const answer = await this.#request('/infer', 'inference failed', {
      method: 'POST',
      headers: { 'Inference-Header-Content-Length': String(Buffer.byteLength(header)) },
      body: Buffer.concat([Buffer.from(header), bytes]),
    })
    return (answer as { outputs: { data: string[] }[] }).outputs[0]?.data ?? []
  }

  async #request(path: string, failure: string, init?: RequestInit): Promise<unknown> {
    const response = await fetch(this.#base + path, init).catch((error: Error) => {
      const cause = error.cause instanceof Error ? error.cause.message || String(error.cause) : error.message
      throw new Error(`${failure}: cannot reach ${new URL(this.#base).origin}: ${cause}`, { cause: error })
    })
    const body = await response.text()
    if (!response.ok) throw new Error(`${failure}: [${response.status}] ${errorText(body)}`)
    return JSON.parse(body)
  }
}

function errorText(body: string): string {
  try {
    return String((JSON.parse(body) as { error: unknown }).error)
  } catch {
    return body
  }
}
