import type { UnloadOptions } from '../backend/backend-server.ts'
import { TritonError } from '../errors.ts'
import { endsBefore } from '../util/ends-before.ts'
import type { ModelVersion } from './model-version.ts'

/** How an application unloads a model. */
export interface ServerUnloadOptions extends UnloadOptions {
  /**
   * Whether the call waits until requests in flight are answered and everything was given back. Default false: as in
   * Triton, it ends as soon as no new request finds the model.
   */
  readonly waitUntilUnloaded?: boolean | undefined
  /** Ends the wait; the call then rejects with CANCELLED. */
  readonly signal?: AbortSignal | undefined
}

/** What an unload did. */
export interface UnloadReport {
  /** What it took out of service, steps of ensembles included that went along. */
  readonly versions: readonly { readonly name: string; readonly version: number }[]
  /** Bytes of memory that the process had before it; processes of models have their own. */
  readonly rssBefore: number
  /** The same when everything was given back; only with `waitUntilUnloaded`. */
  readonly rssAfter?: number | undefined
}

/** An unload under way: what went out of service, and when all of it is gone. */
export class Unloading {
  readonly #rssBefore = process.memoryUsage.rss()
  readonly #versions: ModelVersion[] = []
  readonly #awaited: Promise<void>[] = []

  /** @param gone when everything that they had was given back. */
  add(versions: readonly ModelVersion[], gone: Promise<void>): void {
    this.#versions.push(...versions)
    this.waitFor(gone)
  }

  /** It is not over before this is. What fails is logged by whoever does it. */
  waitFor(work: Promise<void>): void {
    this.#awaited.push(work.catch(() => {}))
  }

  /**
   * @param untilGone whether to wait until everything was given back.
   * @param signal ends the wait, not the unload.
   * @throws TritonError CANCELLED after an abort.
   */
  async report(untilGone: boolean, signal: AbortSignal | undefined): Promise<UnloadReport> {
    if (untilGone) await this.#gone(signal)
    const versions = this.#versions.map(({ name, version }) => ({ name, version }))
    const report = { versions, rssBefore: this.#rssBefore }
    return untilGone ? { ...report, rssAfter: process.memoryUsage.rss() } : report
  }

  async #gone(signal: AbortSignal | undefined): Promise<void> {
    if (signal === undefined) await this.#all()
    else if (!(await endsBefore(this.#all(), signal))) {
      const text = 'the wait for the unload was given up; the unload goes on'
      throw new TritonError('CANCELLED', text, { cause: signal.reason })
    }
  }

  /** What is awaited may bring more. */
  async #all(): Promise<void> {
    for (const work of this.#awaited) await work
  }
}
