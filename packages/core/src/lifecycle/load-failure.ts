import { errorDetail, TritonError } from '../errors.ts'
import type { Logger } from '../util/logger.ts'
import type { ModelEntries } from './model-entries.ts'
import type { ModelEntry } from './model-entry.ts'
import type { LoadedVersions } from './version-loader.ts'

/** What a load fails with, in Triton's form. */
export function loadFailure(
  id: string,
  text: string,
  code: 'INVALID_ARG' | 'CANCELLED' = 'INVALID_ARG',
  cause?: unknown,
): TritonError {
  return new TritonError(code, `load failed for model '${id}': ${text}\n`, cause === undefined ? {} : { cause })
}

/** What the load of a name in several namespaces fails with: as in Triton, the texts of the loads that failed, as one. */
export function loadFailures(errors: readonly TritonError[]): TritonError {
  const failed = errors.filter(({ code }) => code === 'INVALID_ARG')
  if (failed.length < 2) return failed[0] ?? (errors[0] as TritonError)
  const text = failed.map(({ message }) => message).join('')
  return new TritonError('INVALID_ARG', text, { cause: new AggregateError(failed) })
}

/** All versions of a load or none: those that came up go again. Returns what the load fails with. */
export function giveBack(
  entry: ModelEntry,
  { loaded, updates, failed }: LoadedVersions,
  { live, listener }: ModelEntries,
  logger: Logger,
): TritonError {
  const { id } = entry
  for (const update of updates) live.track(`the instances of model '${id}'`, update.discard)
  for (const model of loaded) {
    entry.failed(model.version, 'unloaded')
    live.dispose(model)
  }
  for (const { version, state, error } of failed) {
    entry.failed(version, error.reason)
    logger.error({ model: id, version }, `failed to load '${id}' version ${version}: ${errorDetail(error)}`)
    if (state === 'UNAVAILABLE') listener.onUnavailable(id, version, error.reason)
  }
  entry.failure = failed
    .map(({ version, state, error }) => `version ${version} is at ${state} state: ${error.reason};`)
    .join('')
  const code = failed.every(({ error }) => error.code === 'CANCELLED') ? 'CANCELLED' : 'INVALID_ARG'
  return loadFailure(id, entry.failure, code, failed[0]?.error)
}

/** A load of what is not in the repositories, or cannot be read there. */
export const notPolled = (id: string, cause?: unknown): TritonError =>
  new TritonError('INTERNAL', `failed to load '${id}', failed to poll from model repository`, { cause })
