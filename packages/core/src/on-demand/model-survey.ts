import { join } from 'node:path'
import { chooseVersions } from '../config/version-policy.ts'
import { TritonError } from '../errors.ts'
import { stepModels } from '../lifecycle/ensembles/ensemble-graph.ts'
import { bringsFiles, type LoadOptions, type PollOptions } from '../lifecycle/poll-model.ts'
import type { KnownModel } from '../polling/repository-changes.ts'
import { readCodeDefinition } from '../repository/code-definition.ts'
import { isSameModel } from '../repository/fingerprint.ts'
import { type ModelDefinition, readModelDefinition } from '../repository/model-definition.ts'
import type { ModelPlace } from '../repository/model-place.ts'
import { directorySize } from './directory-size.ts'

/** A model that a load needs, as its files are now. */
export interface NeededModel {
  readonly name: string
  /** What would be served, with the bytes of each version's files; none for an ensemble. */
  readonly versions: readonly { readonly version: number; readonly fileBytes: number }[]
  /** Models of its steps, directly or not. */
  readonly steps: ReadonlySet<string>
  /** Whether what serves now is as the files are, so that a load does nothing. */
  isUnchanged(): boolean
}

/** Looks what a model consists of before it is loaded. */
export class ModelSurvey {
  readonly #options: PollOptions
  readonly #known: () => ReadonlyMap<string, KnownModel>

  /** @param known models that are loaded. */
  constructor(options: PollOptions, known: () => ReadonlyMap<string, KnownModel>) {
    this.#options = options
    this.#known = known
  }

  /** Whether a model is in a repository. @param version -1: any. */
  async has(name: string, version: number): Promise<boolean> {
    const place = await this.#options.repository.find(name)
    if (place === undefined || place === 'duplicate') return false
    if (version === -1) return true
    const { content } = place
    return 'code' in content ? version === 1 : content.fingerprint.has(String(version))
  }

  /**
   * A model and, for an ensemble, everything that it needs, by name. What is wrong with it is left to the load to say.
   * @throws TritonError NOT_FOUND with Triton's text for a model that is in no repository, or why that cannot be read.
   */
  async of(name: string, load: LoadOptions, signal: AbortSignal): Promise<ReadonlyMap<string, NeededModel>> {
    const found = new Map<string, NeededModel>()
    if (bringsFiles(load)) found.set(name, overridden(name, load))
    else await this.#add(name, load, await this.#find(name, signal), found, signal)
    return found
  }

  async #find(name: string, signal: AbortSignal): Promise<ModelPlace> {
    const place = await this.#options.repository.find(name, signal)
    if (place === undefined) throw new TritonError('NOT_FOUND', `Request for unknown model: '${name}' is not found`)
    if (place === 'duplicate') throw new TritonError('UNAVAILABLE', 'model appears in two or more repositories')
    return place
  }

  async #add(
    name: string,
    load: LoadOptions,
    place: ModelPlace,
    found: Map<string, NeededModel>,
    signal: AbortSignal,
  ): Promise<void> {
    const steps = new Set<string>()
    found.set(name, { name, versions: [], steps, isUnchanged: () => false })
    const read = await this.#read(place, load, signal).catch(() => undefined)
    if (read === undefined) return
    for (const step of stepModels(read.config)) {
      steps.add(step)
      if (!found.has(step)) {
        const there = await this.#find(step, signal).catch(() => undefined)
        if (there !== undefined) await this.#add(step, {}, there, found, signal)
      }
      for (const inner of found.get(step)?.steps ?? []) steps.add(inner)
    }
    // It may be loaded with another model before its turn comes.
    const isUnchanged = (): boolean => load.config === undefined && this.#isUnchanged(place)
    found.set(name, { name, versions: read.versions, steps, isUnchanged })
  }

  #isUnchanged({ id, content }: ModelPlace): boolean {
    const loaded = this.#known().get(id)?.fingerprint
    if (loaded === undefined) return false
    return 'code' in content || isSameModel(content.fingerprint, loaded)
  }

  async #read(
    place: ModelPlace,
    load: LoadOptions,
    signal: AbortSignal,
  ): Promise<Pick<ModelDefinition, 'config'> & Pick<NeededModel, 'versions'>> {
    const { configName, autoComplete, modelConfigs } = this.#options
    const config = load.config ?? modelConfigs.get(place.name)
    if ('code' in place.content) {
      const definition = readCodeDefinition(place.name, place.content.code, { config, autoComplete })
      return { config: definition.config, versions: [{ version: 1, fileBytes: 0 }] }
    }
    const opened = await place.content.open(signal)
    try {
      const definition = await readModelDefinition(place, opened.directory, { config, configName, autoComplete })
      return { config: definition.config, versions: await sizes(definition) }
    } finally {
      await opened.dispose()
    }
  }
}

async function sizes({ config, directory, subdirectories }: ModelDefinition): Promise<NeededModel['versions']> {
  if (config.ensembleScheduling !== undefined) return []
  const { versions } = chooseVersions(config, subdirectories)
  return Promise.all(
    versions.map(async (version) => ({ version, fileBytes: await directorySize(join(directory, String(version))) })),
  )
}

/** A model whose files come with the load. */
function overridden(name: string, { files = {} }: LoadOptions): NeededModel {
  const sizes = new Map<number, number>()
  for (const [path, { byteLength }] of Object.entries(files)) {
    const [, version] = /^(\d+)\//.exec(path) ?? []
    if (version !== undefined) sizes.set(Number(version), (sizes.get(Number(version)) ?? 0) + byteLength)
  }
  const versions = [...sizes].map(([version, fileBytes]) => ({ version, fileBytes }))
  return { name, versions, steps: new Set(), isUnchanged: () => false }
}
