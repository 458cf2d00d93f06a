import type { AgentChain } from '../agent/agent-chain.ts'
import { endsBefore } from '../util/ends-before.ts'
import type { LiveVersions } from './live-versions.ts'
import type { ModelEntry } from './model-entry.ts'
import type { ModelVersion } from './model-version.ts'
import type { PolledModel } from './poll-model.ts'

/**
 * The directory that one load of a model brought to this machine, and the agents of that load. After `readBy` one of
 * `discard` and `keep` is called, and after `keep` at last `replace`.
 */
export class ModelFiles {
  readonly #id: string
  readonly #agents: AgentChain | undefined
  readonly #dispose: () => Promise<void>
  #readers: readonly ModelVersion[] = []
  #isGoing = false

  /**
   * @param id of the model.
   * @param agents have heard LOAD; undefined when it asks for none.
   * @param dispose tells them what they have still to hear, and gives the directory back.
   */
  constructor(id: string, agents: AgentChain | undefined, dispose: () => Promise<void>) {
    this.#id = id
    this.#agents = agents
    this.#dispose = dispose
  }

  /** Whether it has agents that hear no more of this load than its end, as those of an ensemble that cannot be served. */
  get isOver(): boolean {
    return this.#agents !== undefined && this.#isGoing
  }

  /** The versions that the load brought up; those that it updated read what they did before. */
  readBy(readers: readonly ModelVersion[]): void {
    this.#readers = readers
  }

  /** The load failed: everything goes after its readers. A load that is given up does not wait for that. */
  async discard(live: LiveVersions, signal: AbortSignal): Promise<void> {
    await endsBefore(this.#disposeAfter(this.#readers, live), signal)
  }

  /**
   * The load came to its end. Without agents, the directory is not needed any longer than it is read; others hear
   * LOAD_COMPLETE, and keep it. A load that is given up meanwhile does not wait for them.
   * @param replaced comes first: the UNLOAD of what was there before.
   */
  async keep(replaced: Promise<void>, live: LiveVersions, signal: AbortSignal): Promise<void> {
    if (this.#agents !== undefined) await endsBefore(this.#agents.complete(replaced), signal)
    else if (this.#readers.length === 0) await this.#disposeAfter([], live)
    else void this.#disposeAfter(this.#readers, live)
  }

  /**
   * Another load takes its place, or none: its agents hear UNLOAD, and the rest when nothing needs it any more.
   * @param going versions that go with it, whoever reads them.
   * @returns when UNLOAD was told; never rejects.
   */
  replace(going: readonly ModelVersion[], live: LiveVersions): Promise<void> {
    if (this.#agents === undefined || this.isOver) return Promise.resolve()
    const told = this.#agents.unload()
    void this.#disposeAfter([...this.#readers, ...going], live)
    return told
  }

  #disposeAfter(versions: readonly ModelVersion[], live: LiveVersions): Promise<void> {
    this.#isGoing = true
    return live.whenGone(versions, `the files of model '${this.#id}'`, this.#dispose)
  }
}

/**
 * Makes `now` what is loaded, in the place of what was there before. Called before the versions change.
 * @param now undefined when nothing is loaded any more.
 * @param going versions that go with what was there before.
 * @returns when its agents have heard UNLOAD; never rejects.
 */
export function replaceLoaded(
  entry: ModelEntry,
  now: PolledModel | undefined,
  going: readonly ModelVersion[],
  live: LiveVersions,
): Promise<void> {
  const { loaded: before } = entry
  entry.loaded = now
  return before === undefined || before === now ? Promise.resolve() : before.files.replace(going, live)
}
