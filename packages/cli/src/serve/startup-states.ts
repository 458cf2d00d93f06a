import type { ModelIndexEntry, Server } from '@triton-ts/core'

/** What became of each model at the start; the index does not tell once a failed start has stopped the Server. */
export class StartupStates {
  readonly #entries = new Map<string, ModelIndexEntry>()

  constructor(server: Server) {
    const add = (entry: ModelIndexEntry) => {
      if (server.state === 'starting') this.#entries.set(`${entry.name}/${entry.version}`, entry)
    }
    server.on('modelReady', ({ name, version }) => add({ name, version: String(version), state: 'READY' }))
    server.on('modelUnavailable', ({ name, version, reason }) =>
      add({ name, ...(version !== undefined && { version: String(version) }), state: 'UNAVAILABLE', reason }),
    )
  }

  /** By name, then version. */
  entries(): ModelIndexEntry[] {
    return [...this.#entries.values()].sort(
      (a, b) => compare(a.name, b.name) || Number(a.version ?? 0) - Number(b.version ?? 0),
    )
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
