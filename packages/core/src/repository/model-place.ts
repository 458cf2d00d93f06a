import type { ModelClass, ModelCode } from '../code-model/model-code.ts'
import type { SourceModel } from './repository-source.ts'

/** Where a model lies. */
export interface ModelPlace {
  readonly id: string
  /** The name that its configuration has, too. */
  readonly name: string
  /** The path of its repository where names are told apart by that; else ''. */
  readonly namespace: string
  /** The path of its repository; '' for a model in code. */
  readonly repository: string
  /** Whether its directory has another name, so that its configuration may have any. */
  readonly isMapped: boolean
  /** The code, or what the repository has. */
  readonly content: { readonly code: ModelCode | ModelClass } | SourceModel
}

/** A name in two sources lies nowhere, since nobody can tell which is meant. */
export type FoundPlace = ModelPlace | 'duplicate' | undefined

/** One look at everything. */
export interface RepositoryLook {
  /** By id. */
  readonly models: ReadonlyMap<string, ModelPlace | 'duplicate'>
  /** Why a repository could not be read, by its path: what it has is not known. */
  readonly unreadable: ReadonlyMap<string, unknown>
}
