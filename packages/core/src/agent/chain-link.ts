import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import type { AgentAction, AgentModel, RepositoryAgent } from './repository-agent.ts'

/** One agent of a chain, and the model as it sees it. */
export class ChainLink implements AgentModel {
  readonly agent: RepositoryAgent
  readonly name: string
  readonly config: ModelConfig | undefined
  readonly parameters: Readonly<Record<string, string>>
  state: unknown
  #location: string
  #action: AgentAction = 'LOAD'
  #acquired: Promise<string> | undefined

  constructor(
    agent: RepositoryAgent,
    { name, config, parameters, location }: Pick<AgentModel, 'name' | 'config' | 'parameters' | 'location'>,
  ) {
    this.agent = agent
    this.name = name
    this.config = config
    this.parameters = parameters
    this.#location = location
  }

  get location(): string {
    return this.#location
  }

  /** @throws TritonError for whatever the agent throws; its own TritonErrors stay as they are. */
  async tell(action: AgentAction, signal: AbortSignal): Promise<void> {
    this.#action = action
    try {
      await this.agent.modelAction(action, this, signal)
    } catch (cause) {
      if (cause instanceof TritonError) throw cause
      const { message } = TritonError.from(cause)
      const text = `repository agent '${this.agent.name}' failed for model '${this.name}': ${message}`
      throw new TritonError('INTERNAL', text, { cause })
    }
  }

  async acquireLocation(): Promise<string> {
    this.#expectLoad('acquired')
    this.#acquired ??= mkdtemp(join(tmpdir(), 'triton-ts-agent-')).catch((cause: unknown) => {
      this.#acquired = undefined
      const text = `failed to make a directory for repository agent '${this.agent.name}'`
      throw new TritonError('INTERNAL', text, { cause })
    })
    return this.#acquired
  }

  async releaseLocation(): Promise<void> {
    if (this.#acquired === undefined) throw new TritonError('UNAVAILABLE', 'No mutable location to be deleted')
    const acquired = this.#acquired
    this.#acquired = undefined
    await rm(await acquired, { recursive: true, force: true })
  }

  updateLocation(location: string): void {
    this.#expectLoad('updated')
    this.#location = resolve(location)
  }

  /** Deletes what the agent acquired and has not released. */
  async dispose(): Promise<void> {
    if (this.#acquired !== undefined) await this.releaseLocation()
  }

  #expectLoad(what: string): void {
    if (this.#action === 'LOAD') return
    throw new TritonError(
      'INVALID_ARG',
      `location can only be ${what} during TRITONREPOAGENT_ACTION_LOAD, ` +
        `current action type is TRITONREPOAGENT_ACTION_${this.#action}`,
    )
  }
}
