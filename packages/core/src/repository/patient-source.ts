import { TritonError } from '../errors.ts'
import { abortable } from '../util/abortable.ts'
import type { Clock } from '../util/clock.ts'
import { withDeadline } from '../util/deadline.ts'
import type { RepositorySource, SourceModel } from './repository-source.ts'

/** Milliseconds that a source may take for an answer; a large bucket that has to be asked again may take a minute. */
const patience = 120_000

/**
 * A source that is waited for only so long, so that a drive or a network that hangs does not hold up the other sources
 * for ever. Until the late answer comes, every further question fails at once.
 */
export class PatientSource implements RepositorySource {
  readonly path: string
  readonly #source: RepositorySource
  readonly #clock: Clock
  /** Questions that were given up and still have no answer. */
  #late = 0

  constructor(source: RepositorySource, clock: Clock) {
    this.path = source.path
    this.#source = source
    this.#clock = clock
  }

  models(signal?: AbortSignal): Promise<string[]> {
    return this.#ask(() => this.#source.models(signal), signal)
  }

  look(model: string, signal?: AbortSignal): Promise<SourceModel | undefined> {
    return this.#ask(() => this.#source.look(model, signal), signal)
  }

  lookAll(signal?: AbortSignal): Promise<ReadonlyMap<string, SourceModel>> {
    return this.#ask(() => this.#source.lookAll(signal), signal)
  }

  async dispose(): Promise<void> {
    await this.#source.dispose?.()
  }

  /** Rejects at once when the signal is aborted. */
  async #ask<T>(question: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted()
    if (this.#late > 0) throw this.#silence()
    const answer = question()
    const heard = signal === undefined ? answer : abortable(answer, signal)
    if (await withDeadline(heard, patience, this.#clock)) return heard
    this.#late++
    const answered = (): void => {
      this.#late--
    }
    void answer.then(answered, answered)
    throw this.#silence()
  }

  #silence(): TritonError {
    return new TritonError('UNAVAILABLE', `model repository '${this.path}' has not answered for ${patience / 1000} s`)
  }
}
