import { usage } from '../flags/usage.ts'
import { UsageError } from '../flags/usage-error.ts'
import type { Address } from '../serve/address.ts'
import { openLog } from '../serve/log.ts'
import { aborted } from '../serve/serve.ts'
import type { ServeSettings } from '../serve/settings.ts'
import { startServing } from '../serve/start-serving.ts'
import { devSettings } from './dev-settings.ts'
import { Reloads } from './reloads.ts'
import { type LineSink, Reporter } from './reporter.ts'
import { RepositoryWatch } from './repository-watch.ts'

/**
 * Does what `triton-ts dev` does: serves as `triton-ts serve` does, and loads what is saved in the repositories.
 * @param args tritonserver's flags.
 * @param signal aborting it stops the server.
 * @param sink gets the lines that tell what happens.
 * @returns the exit code.
 */
export async function dev(
  args: readonly string[],
  { signal, sink }: { readonly signal: AbortSignal; readonly sink: LineSink },
): Promise<number> {
  try {
    await run(devSettings(args), signal, sink)
    return 0
  } catch (error) {
    const { message } = error as Error
    process.stderr.write(error instanceof UsageError ? `${usage()}\n\n${message}\n` : `error: ${message}\n`)
    return 1
  }
}

/** As a client on this machine writes it. */
const reachable = ({ host, port }: Address): string =>
  `${host === '0.0.0.0' || host === '::' ? 'localhost' : host}:${port}`

async function run(settings: ServeSettings, signal: AbortSignal, sink: LineSink): Promise<void> {
  const reporter = new Reporter(sink, openLog(settings.log))
  try {
    for (const notice of settings.notices) reporter.warn({}, notice)
    const serving = await startServing(settings, reporter, signal)
    if (serving === undefined) return
    const { server, http } = serving
    reporter.follow(server)
    const reloads = new Reloads(server, reporter)
    const repositories = [settings.server.modelRepository ?? []].flat()
    let watch: RepositoryWatch | undefined
    try {
      watch = await RepositoryWatch.open(
        repositories,
        (model) => reloads.saved(model),
        (error) => reporter.warn({}, `not everything is watched: ${error.message}`),
      )
      // What was saved while the models were loading.
      const end = aborted(signal)
      await Promise.race([server.poll(), end])
      if (signal.aborted) return
      const models = new Set(server.statistics().map(({ name }) => name)).size
      const scheme = settings.tls === undefined ? 'http' : 'https'
      const where = http === undefined ? '' : ` at ${scheme}://${reachable(http)}`
      reporter.say(`serving ${models} model${models === 1 ? '' : 's'}${where}, watching ${repositories.join(', ')}`)
      await end
    } finally {
      reloads.stop()
      await watch?.close()
      await serving.stop()
    }
  } finally {
    await reporter.close()
  }
}
