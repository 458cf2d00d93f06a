import type { AgentChain } from '../agent/agent-chain.ts'
import type { RepositoryAgents } from '../agent/repository-agents.ts'
import {
  completeDefinition,
  type DefinitionOptions,
  type ModelIdentity,
  readConfig,
} from '../repository/model-definition.ts'
import type { ModelDirectory } from '../repository/repository-source.ts'
import { endsBefore } from '../util/ends-before.ts'
import { ModelFiles } from './model-files.ts'
import type { PolledModel } from './poll-model.ts'

/**
 * Reads a model from a directory on this machine, after its agents have heard LOAD. As in Triton, the configuration counts
 * that it has before agents move it.
 * @param opened given back with the model, or when this fails.
 * @throws TritonError
 */
export async function openModel(
  identity: ModelIdentity,
  origin: Pick<PolledModel, 'repository' | 'fingerprint'>,
  opened: ModelDirectory,
  options: DefinitionOptions,
  agents: RepositoryAgents,
  signal: AbortSignal,
): Promise<PolledModel> {
  let chain: AgentChain | undefined
  const dispose = (): Promise<void> => (chain === undefined ? opened.dispose() : agents.close(chain))
  try {
    const written = await readConfig(opened.directory, options)
    chain = agents.chainOf(identity.name, written.config, opened, options.configName)
    const directory = chain === undefined ? opened.directory : await agents.load(chain, signal)
    const definition = await completeDefinition(identity, directory, written, options)
    return { ...origin, definition, files: new ModelFiles(identity.id, chain, dispose) }
  } catch (error) {
    // A load that is given up does not wait for its agents.
    if (chain === undefined) await dispose()
    else await endsBefore(dispose(), signal)
    throw error
  }
}
