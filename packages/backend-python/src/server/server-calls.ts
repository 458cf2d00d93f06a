import { TritonError } from '@triton-ts/core'
import type { BackendServer } from '@triton-ts/core/backend'
import type { ModelMetrics } from '../metrics/model-metrics.ts'
import type { Link } from '../process/link.ts'
import { toErrorMessage } from '../wire/error-message.ts'
import type { ServerCall } from '../wire/messages.ts'

type Arguments = Readonly<Record<string, unknown>>

/** What the code of a model asks of the Server and waits for. */
export class ServerCalls {
  readonly #server: BackendServer
  readonly #metrics: ModelMetrics
  readonly #link: Link

  constructor(server: BackendServer, metrics: ModelMetrics, link: Link) {
    this.#server = server
    this.#metrics = metrics
    this.#link = link
  }

  /** Never rejects. */
  async answer({ id, method, args }: ServerCall): Promise<void> {
    let answer: object
    try {
      answer = { value: (await this.#call(method, args)) ?? null }
    } catch (error) {
      answer = { error: toErrorMessage(error) }
    }
    this.#link.send(JSON.stringify({ k: 'result', id, ...answer }))
  }

  #call(method: string, args: Arguments): unknown {
    switch (method) {
      case 'load_model':
        return this.#load(args)
      case 'unload_model':
        return this.#server.unload(String(args.name), { unloadDependents: args.unload_dependents === true })
      case 'is_model_ready':
        // An empty version is the newest one.
        return this.#server.isModelReady(String(args.name), Number(args.version || -1))
      case 'metric_family':
        return this.#metrics.family(String(args.name), String(args.description), String(args.kind))
      case 'metric':
        return this.#metrics.metric(
          Number(args.family),
          args.labels as Readonly<Record<string, string>>,
          args.buckets as readonly number[] | undefined,
        )
      case 'metric_value':
        return toNumberMessage(this.#metrics.value(Number(args.metric)))
      default:
        throw new TritonError('UNSUPPORTED', `there is no call '${method}'`)
    }
  }

  #load({ name, config, files }: Arguments): Promise<void> {
    const contents = Object.entries((files ?? {}) as Readonly<Record<string, string>>)
    return this.#server.load(String(name), {
      ...(typeof config === 'string' && config !== '' && { config }),
      ...(contents.length > 0 && {
        files: Object.fromEntries(contents.map(([path, content]) => [path.replace(/^file:/, ''), bytes(content)])),
      }),
    })
  }
}

const toNumberMessage = (value: number): number | object => (Number.isFinite(value) ? value : { f: String(value) })

const bytes = (base64: string): Uint8Array => Buffer.from(base64, 'base64')
