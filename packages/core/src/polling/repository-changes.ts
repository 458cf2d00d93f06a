import { type Fingerprint, isSameModel } from '../repository/fingerprint.ts'
import type { ModelPlace, RepositoryLook } from '../repository/model-place.ts'

/** What a Server knows of a model that somebody wants to be served. */
export interface KnownModel {
  /** The path of its repository; undefined when it was never read. */
  readonly repository: string | undefined
  /** Of what is loaded; undefined when nothing is. */
  readonly fingerprint: Fingerprint | undefined
}

export interface RepositoryChanges {
  /** Ids of models to take out of service: they are gone, or in two repositories. */
  readonly gone: readonly string[]
  /** Models to load: new, changed, or failed last time. */
  readonly changed: readonly ModelPlace[]
}

/**
 * Compares what is known with one look at the repositories. What a repository had that cannot be read stays as it is;
 * Triton unloads it.
 * @param known by id.
 */
export function repositoryChanges(
  known: ReadonlyMap<string, KnownModel>,
  { models, unreadable }: RepositoryLook,
): RepositoryChanges {
  const mayBeThere = ({ repository }: KnownModel): boolean =>
    repository === undefined ? unreadable.size > 0 : unreadable.has(repository)
  const gone: string[] = []
  for (const [id, model] of known) {
    const place = models.get(id)
    if (place === 'duplicate' || (place === undefined && !mayBeThere(model))) gone.push(id)
  }
  const changed: ModelPlace[] = []
  for (const [id, place] of models) {
    const model = known.get(id)
    // Once its repository is back, the name is in two of them.
    const isHidden = model?.repository !== undefined && unreadable.has(model.repository)
    if (place !== 'duplicate' && !isHidden && hasChanged(place, model?.fingerprint)) changed.push(place)
  }
  return { gone, changed }
}

function hasChanged({ content }: ModelPlace, loaded: Fingerprint | undefined): boolean {
  if (loaded === undefined) return true
  return 'fingerprint' in content && !isSameModel(content.fingerprint, loaded)
}

/** Whether nothing has changed in a model between two looks at it. */
export function isSettled(before: ModelPlace, now: ModelPlace): boolean {
  if (!('fingerprint' in before.content) || !('fingerprint' in now.content)) return true
  return isSameModel(before.content.fingerprint, now.content.fingerprint)
}
