import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backend } from '../backend/backend.ts'
import { completeBackendFields, isToldByFiles, type VersionFile } from '../config/backend-fields.ts'
import { ConfigError, type ConfigProblem } from '../config/config-error.ts'
import { modelConfigFromJson, modelConfigFromObject } from '../config/json.ts'
import { locateProblems } from '../config/locate-problems.ts'
import type { ModelConfig, ModelConfigInput } from '../config/model-config.ts'
import { normalizeModelConfig } from '../config/normalize.ts'
import { parseModelConfig } from '../config/parse-pbtxt.ts'
import { validateModelConfig, validateModelIo } from '../config/validate.ts'
import { TritonError } from '../errors.ts'
import { isDirectory, subdirectories } from './local-source.ts'

/** A model as its directory defines it, before any backend has looked at it. */
export interface ModelDefinition {
  /** What the engine knows it by: the name, or with namespaces that and the repository. */
  readonly id: string
  readonly name: string
  /** The path of its repository where names are told apart by that; else ''. */
  readonly namespace: string
  readonly directory: string
  /** What runs it in place of the backend that the configuration names: a model in code brings it. */
  readonly backend?: Backend | undefined
  /** With backend fields filled, normalised and valid; inputs and outputs may still be missing. */
  readonly config: ModelConfig
  /** Names of the sub-directories, versions among them. */
  readonly subdirectories: readonly string[]
  /** Remarks about the configuration that do not stop it. */
  readonly notes: readonly ConfigProblem[]
  /** Adds file, line and column to problems found later, where a file is the origin. */
  locate(problems: readonly ConfigProblem[]): readonly ConfigProblem[]
}

export interface DefinitionOptions {
  /** JSON text or object that is used instead of any file. */
  readonly config?: string | ModelConfigInput | undefined
  /** Prefer `configs/<name>.pbtxt`. */
  readonly configName?: string | undefined
  /** Without auto-complete a configuration file must be there, and be complete. */
  readonly autoComplete: boolean
}

/** Which model it is. */
export interface ModelIdentity extends Pick<ModelDefinition, 'id' | 'name' | 'namespace'> {
  /** Whether its directory has another name, so that its configuration may have any. Default false. */
  readonly isMapped?: boolean
}

/** A configuration as it is written. */
export type WrittenConfig = Pick<ModelDefinition, 'config' | 'notes' | 'locate'>

/** @throws TritonError, a ConfigError when the configuration is at fault. */
export async function readModelDefinition(
  identity: ModelIdentity,
  directory: string,
  options: DefinitionOptions,
): Promise<ModelDefinition> {
  return completeDefinition(identity, directory, await readConfig(directory, options), options)
}

/**
 * What a model is by its configuration and the rest of its directory.
 * @throws TritonError, a ConfigError when the configuration is at fault.
 */
export async function completeDefinition(
  { id, name, namespace, isMapped }: ModelIdentity,
  directory: string,
  { config, notes, locate }: WrittenConfig,
  options: Pick<DefinitionOptions, 'autoComplete'>,
): Promise<ModelDefinition> {
  const directories = await subdirectories(directory)
  if (config.name !== '' && config.name !== name && !isMapped) {
    throw new TritonError(
      'INVALID_ARG',
      `unexpected directory name '${name}' for model '${config.name}', directory name must equal model name`,
    )
  }
  const first = isToldByFiles(config) ? directories[0] : undefined
  const files = first === undefined ? [] : await listFiles(join(directory, first))
  const complete = normalizeModelConfig(completeBackendFields({ ...config, name }, { modelName: name, files }))
  const problems = [...validateModelConfig(complete), ...(options.autoComplete ? [] : validateModelIo(complete))]
  if (problems.length > 0) throw new ConfigError(locate(problems))
  return { id, name, namespace, directory, config: complete, subdirectories: directories, notes, locate }
}

/**
 * The configuration of a model as it is written: nothing is filled in or checked.
 * @throws TritonError, a ConfigError for what is not a configuration at all.
 */
export async function readConfig(
  directory: string,
  { config, configName, autoComplete }: DefinitionOptions,
): Promise<WrittenConfig> {
  if (typeof config === 'string') return withoutFile(configOverride(config))
  if (config !== undefined) return withoutFile(modelConfigFromObject(config))
  const candidates = [join(directory, 'config.pbtxt')]
  if (configName !== undefined) candidates.unshift(join(directory, 'configs', `${configName}.pbtxt`))
  for (const file of candidates) {
    const text = await readIfPresent(file)
    if (text === undefined) continue
    const { config, notes, positions } = parseModelConfig(text, { file })
    return { config, notes, locate: (problems) => locateProblems(problems, positions, file) }
  }
  if (autoComplete) return withoutFile(modelConfigFromObject({}))
  throw new TritonError('INTERNAL', `failed to open text file for read ${candidates.at(-1)}`)
}

/** @throws TritonError for a text that is no configuration. */
export function configOverride(text: string): ModelConfig {
  try {
    return modelConfigFromJson(text)
  } catch (cause) {
    const { code, message } = TritonError.from(cause)
    throw new TritonError(code, `Invalid config override: ${message}`)
  }
}

const withoutFile = (config: ModelConfig): WrittenConfig => ({ config, notes: [], locate: (problems) => problems })

function readIfPresent(file: string): Promise<Uint8Array | undefined> {
  return readFile(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw new TritonError('INTERNAL', `failed to read text proto from ${file}`, { cause })
  })
}

async function listFiles(directory: string): Promise<VersionFile[]> {
  const names = (await readdir(directory)).sort()
  return Promise.all(names.map(async (name) => ({ name, directory: await isDirectory(join(directory, name)) })))
}
