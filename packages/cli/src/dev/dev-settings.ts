import { parseFlags } from '../flags/parse-flags.ts'
import { UsageError } from '../flags/usage-error.ts'
import { type ServeSettings, settingsOf } from '../serve/settings.ts'

/** Seconds without a change after which a model counts as saved. */
const settleSecs = 0.1

/**
 * What `triton-ts dev` should do: what `triton-ts serve` does with these flags, but polling when the watch tells of a
 * change, and going on when a model fails at the start.
 * @throws UsageError
 */
export function devSettings(args: readonly string[]): ServeSettings {
  const settings = settingsOf(args)
  const { values, given } = parseFlags(args)
  const { modelRepository = [] } = settings.server
  const { log } = settings
  for (const path of modelRepository) {
    if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) continue
    const text = `triton-ts dev watches directories, and '${path}' is none: use triton-ts serve --model-control-mode=poll`
    throw new UsageError(text, 'model-repository')
  }
  if (values['model-control-mode'] === 'explicit') {
    throw new UsageError('triton-ts dev loads everything that is there and changes', 'model-control-mode')
  }
  return {
    ...settings,
    server: {
      ...settings.server,
      modelControl: 'poll',
      // Looks besides the watch's help where changes are not told, on some network drives for instance.
      repositoryPollSecs: given.has('repository-poll-secs') ? settings.server.repositoryPollSecs : 0,
      repositorySettleSecs: settleSecs,
      exitOnError: given.has('exit-on-error') && values['exit-on-error'],
    },
    // Warnings and errors are told anyway.
    log: {
      ...log,
      info: given.has('log-info') && log.info,
      warning: log.file !== '' && log.warning,
      error: log.file !== '' && log.error,
    },
  }
}
