import { setMaxListeners } from 'node:events'
import PQueue from 'p-queue'
import type { ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import { readConfig } from '../repository/model-definition.ts'
import type { ModelDirectory } from '../repository/repository-source.ts'
import { endsBefore } from '../util/ends-before.ts'
import { givenUp } from '../util/given-up.ts'
import type { Logger } from '../util/logger.ts'
import { AgentChain } from './agent-chain.ts'
import type { RepositoryAgent } from './repository-agent.ts'

/** The repository agents of a Server, and the chains of all its loads. */
export class RepositoryAgents {
  /** By name. */
  readonly #agents: ReadonlyMap<string, RepositoryAgent>
  readonly #logger: Logger
  readonly #loads: PQueue
  readonly #closing = new AbortController()
  readonly #closes = new Set<Promise<void>>()

  /** @param concurrency how many models may be with their agents for LOAD at the same time. */
  constructor(agents: ReadonlyMap<string, RepositoryAgent>, concurrency: number, logger: Logger) {
    this.#agents = agents
    this.#logger = logger
    this.#loads = new PQueue({ concurrency })
    // Each chain listens, and Node warns of more than ten.
    setMaxListeners(0, this.#closing.signal)
  }

  /**
   * The chain for a model that its configuration asks for, which then owns `files`; undefined when it asks for none.
   * @param configName a configuration that is preferred where an agent moves the model to.
   * @throws TritonError INVALID_ARG for an agent that is not there.
   */
  chainOf(
    name: string,
    config: ModelConfig,
    files: ModelDirectory,
    configName: string | undefined,
  ): AgentChain | undefined {
    const { agents = [] } = config.modelRepositoryAgents ?? {}
    if (agents.length === 0) return undefined
    return new AgentChain({
      name,
      config,
      files,
      agents: agents.map(({ name, parameters }) => ({ agent: this.#find(name), parameters })),
      // As in Triton, what cannot be read is as if it were not there.
      readConfig: (directory) =>
        readConfig(directory, { configName, autoComplete: false }).then(
          ({ config }) => config,
          () => undefined,
        ),
      closing: this.#closing.signal,
      logger: this.#logger,
    })
  }

  /**
   * Tells LOAD to the agents of a chain, and returns where the model lies then.
   * @throws TritonError of an agent, or CANCELLED.
   */
  async load(chain: AgentChain, signal: AbortSignal): Promise<string> {
    const isLoaded = await endsBefore(
      this.#loads.add(() => chain.load(signal)),
      signal,
    )
    if (!isLoaded) throw givenUp(signal)
    return chain.location
  }

  /** Disposes a chain; `settled` waits for that. */
  close(chain: AgentChain): Promise<void> {
    const close = chain.dispose().finally(() => this.#closes.delete(close))
    this.#closes.add(close)
    return close
  }

  /** From now on agents hear what is left for them, but nobody waits for them. */
  abandon(): void {
    this.#closing.abort(new TritonError('UNAVAILABLE', 'Server is stopping, the exit timeout expired'))
  }

  /** Resolves when all chains that were closed have come to their end. */
  async settled(): Promise<void> {
    while (this.#closes.size > 0) await Promise.all(this.#closes)
  }

  #find(name: string): RepositoryAgent {
    const agent = this.#agents.get(name)
    if (agent !== undefined) return agent
    const known = this.#agents.size === 0 ? 'none' : `'${[...this.#agents.keys()].join("', '")}'`
    throw new TritonError(
      'INVALID_ARG',
      `unable to find 'libtritonrepoagent_${name}.so' for repo agent '${name}', searched: the server option ` +
        `'repositoryAgents', which has ${known}; agents are given there in code, libraries are not loaded`,
    )
  }
}
