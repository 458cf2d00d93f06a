import PQueue from 'p-queue'
import { TritonError } from '../errors.ts'
import type { ModelDefinition } from '../repository/model-definition.ts'
import { givenUp } from '../util/given-up.ts'
import { type LoadContext, loadVersion } from './load-version.ts'
import type { ModelVersion } from './model-version.ts'
import { updateVersion, type VersionUpdate } from './update-version.ts'

/** One version that did not come up, or could not be updated. */
export interface VersionFailure {
  readonly version: number
  /** Where it stands after the failure. */
  readonly state: 'UNAVAILABLE' | 'READY'
  readonly error: TritonError
}

export interface LoadedVersions {
  readonly loaded: readonly ModelVersion[]
  readonly updates: readonly VersionUpdate[]
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

  /** @param toUpdate the serving version that needs no reload. */
  async load(
    definition: ModelDefinition,
    versions: readonly number[],
    toUpdate: (version: number) => ModelVersion | undefined,
    signal: AbortSignal,
  ): Promise<LoadedVersions> {
    const loaded: ModelVersion[] = []
    const updates: VersionUpdate[] = []
    const failed: VersionFailure[] = []
    await Promise.all(
      versions.map((version) =>
        this.#queue.add(async () => {
          const model = toUpdate(version)
          try {
            if (model === undefined) loaded.push(await this.#loadOne(definition, version, signal))
            else updates.push(await this.#updateOne(model, definition, signal))
          } catch (error) {
            const state = model === undefined ? 'UNAVAILABLE' : 'READY'
            failed.push({ version, state, error: TritonError.from(error) })
          }
        }),
      ),
    )
    return { loaded, updates, failed: failed.sort((a, b) => a.version - b.version) }
  }

  /** Does what a load waits for; another load may take its place meanwhile. */
  async lendPlace(work: () => Promise<void>): Promise<void> {
    this.#queue.concurrency++
    try {
      await work()
    } finally {
      this.#queue.concurrency--
    }
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
    throw givenUp(signal)
  }

  async #updateOne(model: ModelVersion, definition: ModelDefinition, signal: AbortSignal): Promise<VersionUpdate> {
    const update = await updateVersion(model, definition, this.#context, signal).catch((error: unknown) => {
      throw signal.aborted ? givenUp(signal) : error
    })
    if (!signal.aborted) return update
    await update.discard()
    throw givenUp(signal)
  }
}
