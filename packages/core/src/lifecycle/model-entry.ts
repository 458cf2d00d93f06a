import { TritonError } from '../errors.ts'
import type { ModelIndexEntry, ModelState } from './model-state.ts'
import type { ModelVersion } from './model-version.ts'
import type { PolledModel } from './poll-model.ts'

interface VersionRecord {
  state: ModelState
  reason: string
  /** The one that serves, when READY. */
  model: ModelVersion | undefined
}

/** Everything that is known of one model: its versions with their states, and what was last loaded. */
export class ModelEntry {
  /** What the engine knows the model by. */
  readonly id: string
  readonly name: string
  /** What was last loaded with success, or is an ensemble that waits for its steps; until it is unloaded. */
  loaded: PolledModel | undefined
  /** Why the last load failed, as an ensemble that needs the model says it; undefined when it did not. */
  failure: string | undefined
  /** Somebody asked for it, so it does not go with the ensembles that need it. */
  isExplicit = false
  /** Its last load did not get as far as its versions, and it never had any; that keeps the Server from being ready. */
  lacksVersions = false
  readonly #versions = new Map<number, VersionRecord>()
  #ready: readonly ModelVersion[] = []
  #busy: Promise<void> = Promise.resolve()
  #pending = 0

  constructor(id: string, name: string) {
    this.id = id
    this.name = name
  }

  /** Loads and unloads of one model happen one after the other. */
  async exclusive(work: () => Promise<void>): Promise<void> {
    this.#pending++
    const result = this.#busy.then(work)
    this.#busy = result.catch(() => {})
    try {
      await result
    } finally {
      this.#pending--
    }
  }

  /** No load or unload is under way or waits for its turn. */
  get isIdle(): boolean {
    return this.#pending === 0
  }

  /** The ready version asked for; -1 is the highest. */
  find(version: number): ModelVersion {
    if (version === -1) {
      const latest = this.#ready.at(-1)
      if (latest !== undefined) return latest
      throw new TritonError('NOT_FOUND', `Request for unknown model: '${this.id}' has no available versions`)
    }
    const record = this.#versions.get(version)
    if (record === undefined) {
      throw new TritonError('NOT_FOUND', `Request for unknown model: '${this.id}' version ${version} is not found`)
    }
    if (record.model !== undefined) return record.model
    throw new TritonError(
      'UNAVAILABLE',
      `Request for unknown model: '${this.id}' version ${version} is not at ready state`,
    )
  }

  /** The version if it is ready. */
  serving(version: number): ModelVersion | undefined {
    return this.#versions.get(version)?.model
  }

  /** Ready versions, lowest first; a change makes another list. */
  get ready(): readonly ModelVersion[] {
    return this.#ready
  }

  /** Whether nothing stands in the way of strict readiness: every version is ready, or not wanted and gone. */
  get isSound(): boolean {
    const { isWanted, lacksVersions } = this
    if (lacksVersions) return false
    return [...this.#versions.values()].every(
      ({ state, reason }) => state === 'READY' || reason === 'unloaded' || (state === 'UNAVAILABLE' && !isWanted),
    )
  }

  /** Somebody wants it to be served, with success or not. */
  get isWanted(): boolean {
    return this.loaded !== undefined || this.failure !== undefined || this.#ready.length > 0
  }

  /** No version of it was ever loaded, nor tried. */
  get isUnused(): boolean {
    return this.#versions.size === 0
  }

  /** Nothing is to be said of it. */
  get isBlank(): boolean {
    return this.isUnused && !this.isWanted && !this.isExplicit && !this.lacksVersions
  }

  index(): ModelIndexEntry[] {
    return this.#sorted().map(([version, { state, reason }]) => ({
      name: this.name,
      version: String(version),
      state,
      ...(reason === '' ? {} : { reason }),
    }))
  }

  /** A version that serves keeps serving while its successor loads. */
  loading(version: number): void {
    if (this.#versions.get(version)?.model === undefined) this.#set(version, 'LOADING', '')
  }

  failed(version: number, reason: string): void {
    if (this.#versions.get(version)?.model === undefined) this.#set(version, 'UNAVAILABLE', reason)
  }

  /** Makes `model` the one that serves its version, and returns the one before it. */
  serve(model: ModelVersion): ModelVersion | undefined {
    const before = this.#versions.get(model.version)?.model
    this.#set(model.version, 'READY', '', model)
    return before
  }

  /** Takes a version out of service; it is UNLOADING until its requests are answered. */
  retire(version: number): ModelVersion | undefined {
    const model = this.#versions.get(version)?.model
    if (model === undefined) return undefined
    const unloaded = (): void => this.#set(version, 'UNAVAILABLE', 'unloaded')
    if (model.isIdle) unloaded()
    else {
      this.#set(version, 'UNLOADING', '')
      const record = this.#versions.get(version)
      void model.drained().then(() => {
        if (this.#versions.get(version) === record) unloaded()
      })
    }
    return model
  }

  #set(version: number, state: ModelState, reason: string, model?: ModelVersion): void {
    this.#versions.set(version, { state, reason, model })
    this.#ready = this.#sorted()
      .map(([, { model }]) => model)
      .filter((model) => model !== undefined)
  }

  #sorted(): [number, VersionRecord][] {
    return [...this.#versions].sort(([a], [b]) => a - b)
  }
}
