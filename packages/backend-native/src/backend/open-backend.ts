import type { Logger } from '@triton-ts/core'
import type { BackendHandle, OpenedBackend } from '../host/binding.ts'
import type { Host } from '../host/host.ts'
import type { BackendLibrary } from '../library/backend-library.ts'

/** A library that is initialized with its settings. */
export class OpenBackend {
  readonly handle: BackendHandle
  readonly opened: OpenedBackend
  readonly #host: Host
  readonly #id: number

  private constructor(host: Host, id: number, handle: BackendHandle, opened: OpenedBackend) {
    this.#host = host
    this.#id = id
    this.handle = handle
    this.opened = opened
  }

  /** @param config `{"cmdline":{...}}` */
  static async open(host: Host, library: BackendLibrary, config: string, logger: Logger): Promise<OpenBackend> {
    const { name, path, directory, verbose = false } = library
    const id = host.nextId()
    host.log.add(id, { name, logger, verbose })
    if (verbose) host.binding.enableVerboseLog()
    try {
      const spec = { id, name, library: path, directory, config }
      const { handle, result } = await host.operate<OpenedBackend, BackendHandle>((operation) =>
        host.binding.openBackend(host.handle, operation, spec),
      )
      return new OpenBackend(host, id, handle, result)
    } catch (error) {
      host.log.remove(id)
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#host.operate((operation) => this.#host.binding.closeBackend(this.handle, operation))
    this.#host.log.remove(this.#id)
  }
}
