import type { LiveSnapshot } from '../../live-snapshot.ts'
import type { History } from '../data/history.ts'
import type { IdleModel } from '../data/repository-index.ts'
import { versionKey } from '../numbers/measure.ts'
import { modelId } from './model-id.ts'
import type { ModelRow } from './model-table.ts'

/** The lines of the table: versions that serve and models that do not, by name and version. */
export function rowsOf(snapshot: LiveSnapshot, history: History, idle: readonly IdleModel[]): ModelRow[] {
  const serving = snapshot.models.map((model): ModelRow => {
    const key = versionKey(model)
    const activity = history.points(key).at(-1)?.activity
    return { key, name: modelId(model), version: String(model.version), state: 'ready', reason: '', model, activity }
  })
  const known = new Set(serving.map(({ name, version }) => JSON.stringify([name, version])))
  const others = idle
    .filter(({ name, version }) => !known.has(JSON.stringify([name, version])))
    .map(({ name, version, state, reason }): ModelRow => {
      const key = JSON.stringify(['idle', name, version])
      return { key, name, version, state: state === '' ? 'not loaded' : state.toLowerCase(), reason }
    })
  return [...serving, ...others].sort(
    (a, b) => a.name.localeCompare(b.name) || Number(a.version) - Number(b.version) || a.key.localeCompare(b.key),
  )
}
