import PQueue from 'p-queue'
import { TritonError } from '../errors.ts'
import type { ModelDefinition } from '../repository/model-definition.ts'
import { type LoadContext, loadVersion } from './load-version.ts'
import type { ModelVersion } from './model-version.ts'

/** One version that did not come up. */
export interface VersionFailure {
  readonly version: number
  readonly error: TritonError
}

export interface LoadedVersions {
  readonly loaded: readonly ModelVersion[]
  readonly failed: readonly VersionFailure[]
}

/** Loads model versions, a limited number at the same time over all models. */
export class VersionLoader {
  readonly #context: LoadContext
  readonly #retries: number
  readonly #queue: PQueue

  constructor(context: LoadContext, concurrency: number, retries: number) {
    this.#context = context
    this.#retries = retries
    this.#queue = new PQueue({ concurrency })
  }

  async load(definition: ModelDefinition, versions: readonly number[], signal: AbortSignal): Promise<LoadedVersions> {
    const loaded: ModelVersion[] = []
    const failed: VersionFailure[] = []
    await Promise.all(
      versions.map((version) =>
        this.#queue.add(async () => {
          try {
            loaded.push(await this.#loadOne(definition, version, signal))
          } catch (error) {
            failed.push({ version, error: TritonError.from(error) })
          }
        }),
      ),
    )
    return { loaded, failed: failed.sort((a, b) => a.version - b.version) }
  }

  async #loadOne(definition: ModelDefinition, version: number, signal: AbortSignal): Promise<ModelVersion> {
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const model = await loadVersion(definition, version, this.#context, signal)
        if (!signal.aborted) return model
        await model.dispose()
      } catch (error) {
        if (!signal.aborted && attempt >= this.#retries) throw error
      }
    }
    throw new TritonError('CANCELLED', 'the load was given up', { cause: signal.reason })
  }
}
