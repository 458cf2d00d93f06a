import type { Api } from './api.ts'

/** A model that does not serve, and why, as the repository index tells. */
export interface IdleModel {
  readonly name: string
  readonly version: string
  /** As `LOADING`; '' for one that was never loaded. */
  readonly state: string
  readonly reason: string
}

type IndexJson = readonly (Partial<IdleModel> & { readonly name: string })[]

/** Models that are not ready. None where the server does not let the page ask. */
export async function readIdleModels(api: Api): Promise<IdleModel[]> {
  try {
    const index = (await api.json('v2/repository/index', { body: '{}' })) as IndexJson
    return index
      .map(({ name, version = '', state = '', reason = '' }) => ({ name, version, state, reason }))
      .filter(({ state }) => state !== 'READY')
  } catch {
    return []
  }
}
