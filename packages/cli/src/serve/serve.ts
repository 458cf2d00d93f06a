import { usage } from '../flags/usage.ts'
import { UsageError } from '../flags/usage-error.ts'
import { openLog } from './log.ts'
import { type ServeSettings, settingsOf } from './settings.ts'
import { startServing } from './start-serving.ts'

/**
 * Does what `triton-ts serve` does, from reading the flags to the end of the drain.
 * @param args tritonserver's flags.
 * @param signal Aborting it stops the server; so do SIGTERM and SIGINT for the command.
 * @returns The exit code.
 */
export async function serve(args: readonly string[], { signal }: { signal: AbortSignal }): Promise<number> {
  try {
    await run(settingsOf(args), signal)
    return 0
  } catch (error) {
    const { message } = error as Error
    process.stderr.write(error instanceof UsageError ? `${usage()}\n\n${message}\n` : `error: ${message}\n`)
    return 1
  }
}

async function run(settings: ServeSettings, signal: AbortSignal): Promise<void> {
  const log = openLog(settings.log)
  try {
    for (const notice of settings.notices) log.warn({ module: 'flags' }, notice)
    const serving = await startServing(settings, log, signal)
    if (serving === undefined) return
    await aborted(signal)
    log.info({ module: 'serve' }, 'Waiting for in-flight requests to complete.')
    await serving.stop()
  } finally {
    await log.close()
  }
}

/** Resolves when the signal aborts; until then it keeps the process alive, which without endpoints nothing else does. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const alive = setInterval(() => {}, 2 ** 30)
    const end = () => {
      clearInterval(alive)
      resolve()
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
