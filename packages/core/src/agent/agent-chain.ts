import type { ModelConfig } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import { isDirectory } from '../repository/local-source.ts'
import type { ModelDirectory } from '../repository/repository-source.ts'
import { endsBefore } from '../util/ends-before.ts'
import { givenUp } from '../util/given-up.ts'
import type { Logger } from '../util/logger.ts'
import { ChainLink } from './chain-link.ts'
import type { AgentAction, RepositoryAgent } from './repository-agent.ts'

/** What a chain works with. */
export interface AgentChainParts {
  /** Of the model. */
  readonly name: string
  /** As it is written where the model lies. */
  readonly config: ModelConfig
  /** Where the model lies; the chain owns it. */
  readonly files: ModelDirectory
  readonly agents: readonly { readonly agent: RepositoryAgent; readonly parameters: Readonly<Record<string, string>> }[]
  /** The configuration in the directory that an agent moved the model to. */
  readConfig(directory: string): Promise<ModelConfig | undefined>
  /** Once it is aborted, the agents still hear everything, but nobody waits for them. */
  readonly closing: AbortSignal
  readonly logger: Logger
}

/** The agents of one load of a model: tells them what happens to it, each action once and one after the other. */
export class AgentChain {
  readonly #parts: AgentChainParts
  /** Of the agents that have heard LOAD. */
  readonly #links: ChainLink[] = []
  /** What was heard last; whatever is missing behind it is told by `dispose`. */
  #stage: 'LOAD' | 'LOAD_COMPLETE' | 'UNLOAD' = 'LOAD'
  /** Never rejects. */
  #busy: Promise<unknown> = Promise.resolve()

  constructor(parts: AgentChainParts) {
    this.#parts = parts
  }

  /** Where the model lies after what the agents have done. */
  get location(): string {
    return this.#links.at(-1)?.location ?? this.#parts.files.directory
  }

  /**
   * LOAD: each agent sees what those before it have made of the model.
   * @throws TritonError; the agents that have heard LOAD then wait for `dispose`.
   */
  async load(signal: AbortSignal): Promise<void> {
    const { name, agents, readConfig, closing } = this.#parts
    let { config }: { config: ModelConfig | undefined } = this.#parts
    for (const { agent, parameters } of agents) {
      const { location } = this
      const link = new ChainLink(agent, { name, config, parameters, location })
      if (signal.aborted) throw givenUp(signal)
      this.#links.push(link)
      const loading = link.tell('LOAD', signal)
      this.#busy = endsBefore(loading, closing).catch(() => {})
      if (!(await endsBefore(loading, signal))) throw givenUp(signal)
      if (link.location === location) continue
      if (!(await isDirectory(link.location))) {
        const text = `repository agent '${agent.name}' moved model '${name}' to '${link.location}', which is no directory`
        throw new TritonError('INVALID_ARG', text)
      }
      config = await readConfig(link.location)
    }
  }

  /** LOAD_COMPLETE, last agent first. @param before what is to be over before that, such as the UNLOAD of another chain. */
  complete(before: Promise<void>): Promise<void> {
    return this.#next(async () => {
      await before
      this.#stage = 'LOAD_COMPLETE'
      await this.#tell('LOAD_COMPLETE', this.#links.toReversed())
    })
  }

  /** UNLOAD, first agent first. Not called after `dispose`. */
  unload(): Promise<void> {
    return this.#next(async () => {
      this.#stage = 'UNLOAD'
      await this.#tell('UNLOAD', this.#links)
    })
  }

  /** Tells the agents what they have still to hear to the end of the life of the model, then deletes its files. Never rejects. */
  dispose(): Promise<void> {
    return this.#next(async () => {
      if (this.#stage === 'LOAD_COMPLETE') await this.#tell('UNLOAD', this.#links)
      await this.#tell(this.#stage === 'LOAD' ? 'LOAD_FAIL' : 'UNLOAD_COMPLETE', this.#links.toReversed())
      const { name, files, logger } = this.#parts
      for (const owned of [...this.#links.toReversed(), files]) {
        await owned.dispose().catch((err: unknown) => {
          logger.error({ err }, `failed to clean up the files of model '${name}'`)
        })
      }
    })
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#busy.then(work)
    this.#busy = done
    return done
  }

  /** What an agent throws keeps no other from hearing. */
  async #tell(action: AgentAction, links: readonly ChainLink[]): Promise<void> {
    const { closing, logger, name } = this.#parts
    for (const link of links) {
      await endsBefore(link.tell(action, closing), closing).catch((err: TritonError) => {
        const text = `Agent model returns error on TRITONREPOAGENT_ACTION_${action}: ${err.reason}`
        logger.error({ model: name, agent: link.agent.name, err }, text)
      })
    }
  }
}
