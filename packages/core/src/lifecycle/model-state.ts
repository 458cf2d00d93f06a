/** Life of a model version: LOADING → READY → UNLOADING → UNAVAILABLE, and LOADING → UNAVAILABLE when a load fails. */
export type ModelState = 'UNKNOWN' | 'READY' | 'UNAVAILABLE' | 'LOADING' | 'UNLOADING'

/** One line of the repository index; a model that was never loaded has a name alone. */
export interface ModelIndexEntry {
  readonly name: string
  readonly version?: string
  readonly state?: ModelState
  readonly reason?: string
}
