import type { ModelConfigInput } from '../config/model-config.ts'
import { TritonError } from '../errors.ts'
import { readCodeDefinition } from '../repository/code-definition.ts'
import { writeFileOverrides } from '../repository/file-overrides.ts'
import { type Fingerprint, fingerprint, isSameModel } from '../repository/fingerprint.ts'
import { type ModelDefinition, readModelDefinition } from '../repository/model-definition.ts'
import type { ModelRepository } from '../repository/model-repository.ts'

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
}

/** What a model is now, and how to tell later whether it has changed. */
export interface PolledModel {
  readonly definition: ModelDefinition
  /** Of its directory. Undefined for file overrides, which a later load always replaces. */
  readonly fingerprint: Fingerprint | undefined
  /** Removes what was written for file overrides. */
  dispose(): Promise<void>
}

/**
 * Reads what a model is, from its repository or from the overrides of a load request.
 * @param known fingerprint of what is loaded.
 * @returns undefined when that is still what the repository has and nothing is overridden.
 */
export async function pollModel(
  name: string,
  load: LoadOptions,
  known: Fingerprint | undefined,
  options: PollOptions,
): Promise<PolledModel | undefined> {
  const { configName, autoComplete } = options
  const config = load.config ?? options.modelConfigs.get(name)
  if (load.files !== undefined && Object.keys(load.files).length > 0) {
    if (load.config === undefined) {
      throw new TritonError('INVALID_ARG', "Load parameter 'config' must be specified for model file override")
    }
    const files = await writeFileOverrides(load.files)
    try {
      const definition = await readModelDefinition(name, files.directory, { config, autoComplete })
      return { definition, fingerprint: undefined, dispose: files.dispose }
    } catch (error) {
      await files.dispose()
      throw error
    }
  }
  const place = await options.repository.find(name)
  if (place === undefined) throw new TritonError('NOT_FOUND', `model '${name}' is not in any model repository`)
  if (place === 'duplicate') throw new TritonError('INVALID_ARG', 'model appears in two or more repositories')
  if ('code' in place) {
    if (load.config === undefined && known !== undefined) return undefined
    const definition = readCodeDefinition(name, place.code, { config, autoComplete })
    return { definition, fingerprint: new Map(), dispose: async () => {} }
  }
  const current = await fingerprint(place.directory)
  if (load.config === undefined && known !== undefined && isSameModel(current, known)) return undefined
  const definition = await readModelDefinition(name, place.directory, { config, configName, autoComplete })
  return { definition, fingerprint: current, dispose: async () => {} }
}
