import type { ModelConfig } from './model-config.ts'

/** Directories in a model's directory that are never versions. */
const otherDirectories = ['warmup', 'initial_state', 'configs']

/**
 * The versions of a model that its policy wants served, in ascending order. A policy without a choice, or none at all,
 * wants every version.
 *
 * @param candidates names of the sub-directories of the model's directory; those that name no version are ignored
 */
export function chooseVersions(
  { name: model, versionPolicy }: Pick<ModelConfig, 'name' | 'versionPolicy'>,
  candidates: readonly string[],
): { versions: number[]; warnings: string[] } {
  const warnings: string[] = []
  const present = new Set<number>()
  for (const name of candidates.filter((candidate) => !otherDirectories.includes(candidate))) {
    const version = versionOf(name)
    if (typeof version === 'number') present.add(version)
    else warnings.push(`ignore version directory '${name}' which ${version.ignored}`)
  }
  const ascending = [...present].sort((a, b) => a - b)
  const { latest, specific } = versionPolicy ?? {}
  if (latest) return { versions: latest.numVersions === 0 ? [] : ascending.slice(-latest.numVersions), warnings }
  if (!specific) return { versions: ascending, warnings }
  const wanted = new Set(specific.versions)
  for (const version of wanted) {
    if (present.has(version)) continue
    warnings.push(`version ${version} is specified for model '${model}', but the version directory is not present`)
  }
  return { versions: ascending.filter((version) => wanted.has(version)), warnings }
}

/** Triton's text for a model of which `chooseVersions` left nothing. */
export const noVersionText = (model: string): string =>
  `at least one version must be available under the version policy of model '${model}'`

/** The number that a name starts with: `3_old` is version 3. */
function versionOf(name: string): number | { readonly ignored: string } {
  if (name.length > 1 && name.startsWith('0')) return { ignored: 'contains leading zeros in its directory name' }
  const version = Number(/^\s*([+-]?\d+)/.exec(name)?.[1] ?? Number.NaN)
  return Number.isSafeInteger(version) ? version : { ignored: 'fails to convert to integral number' }
}
