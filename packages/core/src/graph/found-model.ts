import type { ModelConfig } from '../config/model-config.ts'
import { chooseVersions } from '../config/version-policy.ts'
import { errorDetail, TritonError } from '../errors.ts'
import { stepModels } from '../lifecycle/ensembles/ensemble-graph.ts'
import { readConfig, readModelDefinition } from '../repository/model-definition.ts'
import { checkModelName } from '../repository/model-name.ts'
import type { ModelRepository } from '../repository/model-repository.ts'
import type { ModelDirectory } from '../repository/repository-source.ts'

/** A model as its repository has it, not loaded. */
export interface FoundModel {
  /** As it is written where it is not valid; undefined where there is none that can be read. */
  readonly config: ModelConfig | undefined
  /** Versions that its policy serves. */
  readonly versions: readonly number[]
  /** Why it could not be loaded, as far as its files tell. */
  readonly problem: string | undefined
}

/** The model `name` and all that its steps need, by name; what is in no repository is not among them. */
export async function findModels(
  name: string,
  repository: ModelRepository,
  configName: string | undefined,
): Promise<ReadonlyMap<string, FoundModel>> {
  const found = new Map<string, FoundModel>()
  const names = new Set([name])
  // A set goes on with what is added while it is iterated.
  for (const model of names) {
    const one = await findModel(model, repository, configName)
    if (one === undefined) continue
    found.set(model, one)
    if (one.config !== undefined) for (const step of stepModels(one.config)) names.add(step)
  }
  return found
}

async function findModel(
  name: string,
  repository: ModelRepository,
  configName: string | undefined,
): Promise<FoundModel | undefined> {
  const options = { configName, autoComplete: true }
  let directory: ModelDirectory | undefined
  try {
    checkModelName(name)
    const place = await repository.find(name)
    if (place === undefined) return undefined
    if (place === 'duplicate') throw new TritonError('INVALID_ARG', 'model appears in two or more repositories')
    // Only a Server has models that are no files.
    if ('code' in place.content) return undefined
    directory = await place.content.open()
    const { config, subdirectories } = await readModelDefinition(place, directory.directory, options)
    return { config, versions: chooseVersions(config, subdirectories).versions, problem: undefined }
  } catch (error) {
    const written = directory && (await readConfig(directory.directory, options).catch(() => undefined))
    const config = written && { ...written.config, name }
    return { config, versions: [], problem: errorDetail(TritonError.from(error)) }
  } finally {
    await directory?.dispose()
  }
}
