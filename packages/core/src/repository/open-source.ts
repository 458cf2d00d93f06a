import { LocalSource } from './local-source.ts'
import type { RepositorySource } from './repository-source.ts'

/** The source for a path as users write it. */
export function openSource(path: string): RepositorySource {
  return new LocalSource(path)
}
