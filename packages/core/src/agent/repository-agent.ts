import type { ModelConfig } from '../config/model-config.ts'

/**
 * What happens to a model, as its repository agents are told. The life of each load is `LOAD`, `LOAD_COMPLETE`, `UNLOAD`,
 * `UNLOAD_COMPLETE`, or `LOAD`, `LOAD_FAIL`.
 */
export type AgentAction = 'LOAD' | 'LOAD_COMPLETE' | 'LOAD_FAIL' | 'UNLOAD' | 'UNLOAD_COMPLETE'

/** Takes part in the loading of the models that name it in `model_repository_agents`. One may serve several Servers. */
export interface RepositoryAgent {
  /** What configurations call it. */
  readonly name: string
  /**
   * Called once for each action. Calls for one load of a model come one after the other, those for different loads at the
   * same time. What it throws on LOAD fails the load; on any other action that is logged and stops nothing.
   * @param model the same object in all calls for one load.
   * @param signal Aborted on LOAD when the load is given up, on the others when the Server's exit timeout is over; nobody
   * waits for the agent any more then.
   */
  modelAction(action: AgentAction, model: AgentModel, signal: AbortSignal): void | PromiseLike<void>
}

/** One load of a model, as one of its agents sees it. */
export interface AgentModel {
  readonly name: string
  /**
   * The configuration as it is written where the model lies: nothing is filled in. The first agent sees the one that the
   * model is loaded with, an agent behind one that moved the model the one at the new location; undefined when none can
   * be read there.
   */
  readonly config: ModelConfig | undefined
  /** Those that the configuration has for this agent, in the order of the file. */
  readonly parameters: Readonly<Record<string, string>>
  /** The directory of the model on this machine, which belongs to the Server: agents read it and change nothing in it. */
  readonly location: string
  /** Whatever the agent wants to keep with this load. */
  state: unknown
  /**
   * An empty directory for a changed copy of the model, the same one on every call. The Server deletes it after the last
   * action.
   * @throws TritonError INVALID_ARG outside of LOAD.
   */
  acquireLocation(): Promise<string>
  /**
   * Deletes the acquired directory before that.
   * @throws TritonError UNAVAILABLE when there is none.
   */
  releaseLocation(): Promise<void>
  /**
   * From now on the model lies in `location`, for the agents that follow and for the backend. A directory that was not
   * acquired stays the agent's, and must stay as it is until the last action.
   * @throws TritonError INVALID_ARG outside of LOAD.
   */
  updateLocation(location: string): void
}
