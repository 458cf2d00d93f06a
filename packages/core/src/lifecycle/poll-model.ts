import type { RepositoryAgents } from '../agent/repository-agents.ts'
import type { ModelConfigInput } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import { readCodeDefinition } from '../repository/code-definition.ts'
import { writeFileOverrides } from '../repository/file-overrides.ts'
import { type Fingerprint, isSameModel } from '../repository/fingerprint.ts'
import type { ModelDefinition, ModelIdentity } from '../repository/model-definition.ts'
import { namespaceIn } from '../repository/model-id.ts'
import type { ModelPlace } from '../repository/model-place.ts'
import type { ModelRepository } from '../repository/model-repository.ts'
import { ModelFiles } from './model-files.ts'
import { openModel } from './open-model.ts'

/** What a load may replace. */
export interface LoadOptions {
  /**
   * JSON text (protobuf JSON form) or object used instead of the configuration file. As in Triton it stays until the
   * model is unloaded or its directory changes: a plain load of an unchanged directory does nothing.
   */
  readonly config?: string | ModelConfigInput | undefined
  /** Files by path in the model directory, which replace the whole directory; `config` must be given too. */
  readonly files?: Readonly<Record<string, Uint8Array>> | undefined
  /** Gives the load up; the call then rejects with CANCELLED. */
  readonly signal?: AbortSignal | undefined
}

export interface PollOptions {
  readonly repository: ModelRepository
  readonly configName: string | undefined
  readonly modelConfigs: ReadonlyMap<string, ModelConfigInput>
  readonly autoComplete: boolean
  readonly agents: RepositoryAgents
}

/** What a model is now, and how to tell later whether it has changed. */
export interface PolledModel {
  readonly definition: ModelDefinition
  /** The path of its repository; '' for one in code or from the files of a load request. */
  readonly repository: string
  /** Of its directory. Undefined for file overrides, which a later load always replaces. */
  readonly fingerprint: Fingerprint | undefined
  readonly files: ModelFiles
}

/**
 * Where a model lies now.
 * @throws TritonError NOT_FOUND, INVALID_ARG when it lies in several repositories, or why a repository cannot be read.
 */
export async function findModel(id: string, { repository }: PollOptions, signal: AbortSignal): Promise<ModelPlace> {
  const place = await repository.find(id, signal)
  if (place === undefined) throw new TritonError('NOT_FOUND', `model '${id}' is not in any model repository`)
  if (place === 'duplicate') throw new TritonError('INVALID_ARG', 'model appears in two or more repositories')
  return place
}

/**
 * Reads what a model is where it lies.
 * @param known fingerprint of what is loaded.
 * @returns undefined when that is still what the repository has and nothing is overridden.
 */
export async function pollModel(
  place: ModelPlace,
  load: LoadOptions,
  known: Fingerprint | undefined,
  { configName, autoComplete, modelConfigs, agents }: PollOptions,
  signal: AbortSignal,
): Promise<PolledModel | undefined> {
  const { name, repository, content } = place
  const config = load.config ?? modelConfigs.get(place.id) ?? modelConfigs.get(name)
  if ('code' in content) {
    if (load.config === undefined && known !== undefined) return undefined
    const definition = readCodeDefinition(name, content.code, { config, autoComplete })
    const files = new ModelFiles(place.id, undefined, async () => {})
    return { definition, repository, fingerprint: new Map(), files }
  }
  const { fingerprint } = content
  if (load.config === undefined && known !== undefined && isSameModel(fingerprint, known)) return undefined
  const opened = await content.open(signal)
  const options = { config, configName, autoComplete }
  return openModel(place, { repository, fingerprint }, opened, options, agents, signal)
}

/** Whether a load brings its files, so that its model lies in no repository. */
export const bringsFiles = ({ files }: LoadOptions): boolean => files !== undefined && Object.keys(files).length > 0

/** Writes and reads the files of a load request. */
export async function pollOverrides(
  { id, name }: Pick<ModelIdentity, 'id' | 'name'>,
  { config, files = {} }: LoadOptions,
  { autoComplete, agents }: PollOptions,
  signal: AbortSignal,
): Promise<PolledModel> {
  if (config === undefined) {
    throw new TritonError('INVALID_ARG', "Load parameter 'config' must be specified for model file override")
  }
  const written = await writeFileOverrides(files)
  const identity = { id, name, namespace: namespaceIn(id, name) }
  const origin = { repository: '', fingerprint: undefined }
  return openModel(identity, origin, written, { config, autoComplete }, agents, signal)
}
