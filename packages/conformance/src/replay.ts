import { compareAnswer } from './compare.ts'
import { type Case, type Corpus, goldenRepository, type Phase } from './corpus.ts'
import { sendRaw } from './raw-http.ts'
import { SpawnedServer } from './spawned-server.ts'

/** Case id to what differs from the recorded answer; undefined when nothing does. */
export type Differences = Map<string, string | undefined>

/**
 * For phases that load everything: models whose feature is not there yet must not keep the others from being served.
 * A phase that sets these flags itself wins, because its own come later.
 */
const lenientFlags = ['--exit-on-error=false', '--strict-readiness=false']

/** Serves a phase with the real command and sends its cases in order. A server that does not start fails all of them. */
export async function replayPhase({ phases, cases }: Corpus, name: string): Promise<Differences> {
  const phase = phases[name]
  if (!phase) throw new Error(`unknown phase '${name}'`)
  const own = cases.filter((entry) => entry.phase === name)
  try {
    return await replayCases(phase, own)
  } catch (error) {
    return new Map(own.map(({ id }) => [id, String(error)]))
  }
}

/** Sends cases to one server. When it dies, another one is started for the cases that follow. */
async function replayCases(phase: Phase, cases: Case[]): Promise<Differences> {
  const differences: Differences = new Map()
  let server = await startPhase(phase)
  try {
    for (const entry of cases) {
      differences.set(entry.id, await replayCase(server.httpPort, entry))
      if (server.exit === undefined) continue
      differences.set(entry.id, `the server died (${server.exit})`)
      server = await startPhase(phase)
    }
  } finally {
    await server.stop()
  }
  return differences
}

const startPhase = ({ dirs, flags, wait = 'ready' }: Phase): Promise<SpawnedServer> =>
  SpawnedServer.start({
    modelRepositories: dirs.map((directory) => directory.replace(/^\$\{REPO\}/, () => goldenRepository)),
    flags: flags.includes('--model-control-mode=explicit') ? flags : [...lenientFlags, ...flags],
    until: wait === 'tcp' ? 'listening' : wait,
  })

/** Sends one case; what differs from the recorded answer, or undefined. */
export async function replayCase(port: number, entry: Case): Promise<string | undefined> {
  const { method, path, headers, body, body_b64, chunked } = entry.request
  const bytes =
    body !== undefined ? Buffer.from(body) : body_b64 !== undefined ? Buffer.from(body_b64, 'base64') : undefined
  try {
    const answer = await sendRaw(port, { method, path, headers, body: bytes, chunked })
    return compareAnswer(entry, answer, goldenRepository)
  } catch (error) {
    return String(error)
  }
}
