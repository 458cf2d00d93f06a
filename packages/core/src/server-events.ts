import type { DownloadProgress } from './repository/cloud/download-progress.ts'

export type ServerState = 'created' | 'starting' | 'ready' | 'exiting' | 'stopped'

/** What a Server emits. */
export interface ServerEvents {
  /** A model version serves now. */
  modelReady: [event: { readonly name: string; readonly version: number }]
  /** A model version that serves has other instances now. */
  modelUpdated: [event: { readonly name: string; readonly version: number }]
  /** A model version failed to load or was unloaded; without version when the configuration could not be read. */
  modelUnavailable: [event: { readonly name: string; readonly version: number | undefined; readonly reason: string }]
  /** A model of a cloud repository is on its way here: at the start, then at most once a second, and at the end. */
  downloadProgress: [progress: DownloadProgress]
  stateChange: [state: ServerState]
}
