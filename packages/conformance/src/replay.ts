import { setTimeout } from 'node:timers/promises'
import { compareAnswer } from './compare.ts'
import { type Case, type Corpus, goldenRepository, type Phase } from './corpus.ts'
import { sendRaw } from './raw-http.ts'
import { compareSharedMemory, setUpSharedMemory, withSharedMemory } from './shared-memory.ts'
import { SpawnedServer, type SpawnOptions } from './spawned-server.ts'

/** Case id to what differs from the recorded answer; undefined when nothing does. */
export type Differences = Map<string, string | undefined>

/**
 * For phases that load everything: models whose feature is not there yet must not keep the others from being served.
 * A phase that sets these flags itself wins, because its own come later.
 */
const lenientFlags = ['--exit-on-error=false', '--strict-readiness=false']

/** What serves. Default: our own command. */
export interface ServerChoice extends Pick<SpawnOptions, 'program' | 'environment'> {
  /** Whether it answers before it is through, so that cases need the recorded waiting time. Default false. */
  answersEarly?: boolean | undefined
}

/** Serves a phase and sends its cases in order. A server that does not start fails all of them. */
export async function replayPhase(
  { phases, cases }: Corpus,
  name: string,
  choice: ServerChoice = {},
): Promise<Differences> {
  const phase = phases[name]
  if (!phase) throw new Error(`unknown phase '${name}'`)
  const own = cases.filter((entry) => entry.phase === name)
  try {
    return await withSharedMemory(own, () => replayCases(phase, own, choice))
  } catch (error) {
    return new Map(own.map(({ id }) => [id, String(error)]))
  }
}

/** Sends cases to one server. When it dies, another one is started for the cases that follow. */
async function replayCases(phase: Phase, cases: Case[], choice: ServerChoice): Promise<Differences> {
  const differences: Differences = new Map()
  let server = await startPhase(phase, choice)
  try {
    for (const entry of cases) {
      if (choice.answersEarly) await setTimeout(entry.delay_ms ?? 0)
      differences.set(entry.id, await replayCase(server.httpPort, entry))
      if (server.exit === undefined) continue
      differences.set(entry.id, `the server died (${server.exit})`)
      server = await startPhase(phase, choice)
    }
  } finally {
    await server.stop()
  }
  return differences
}

/** Starts a server for a phase, and waits until it is up. */
export const startPhase = (
  { dirs, flags, wait = 'ready' }: Phase,
  { program, environment }: ServerChoice,
): Promise<SpawnedServer> =>
  SpawnedServer.start({
    modelRepositories: dirs.map((directory) => directory.replace(/^\$\{REPO\}/, () => goldenRepository)),
    flags: flags.includes('--model-control-mode=explicit') ? flags : [...lenientFlags, ...flags],
    until: wait === 'tcp' ? 'listening' : wait,
    program,
    environment,
  })

/** Sends one case; what differs from the recorded answer, or undefined. */
export async function replayCase(port: number, entry: Case): Promise<string | undefined> {
  const { method, path, headers, body, body_b64, chunked } = entry.request
  const bytes =
    body !== undefined ? Buffer.from(body) : body_b64 !== undefined ? Buffer.from(body_b64, 'base64') : undefined
  try {
    await setUpSharedMemory(entry)
    const answer = await sendRaw(port, { method, path, headers, body: bytes, chunked })
    return compareAnswer(entry, answer, goldenRepository) ?? (await compareSharedMemory(entry))
  } catch (error) {
    return String(error)
  }
}
