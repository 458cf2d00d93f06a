export type ServerState = 'created' | 'starting' | 'ready' | 'exiting' | 'stopped'

/** What a Server emits. */
export interface ServerEvents {
  /** A model version serves now. */
  modelReady: [event: { readonly name: string; readonly version: number }]
  /** A model version failed to load or was unloaded; without version when the configuration could not be read. */
  modelUnavailable: [event: { readonly name: string; readonly version: number | undefined; readonly reason: string }]
  stateChange: [state: ServerState]
}
