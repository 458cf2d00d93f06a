import { cloudOf } from './cloud/cloud-path.ts'
import { CloudSource, type CloudSourceOptions } from './cloud/cloud-source.ts'
import { openStore } from './cloud/open-store.ts'
import { LocalSource } from './local-source.ts'
import type { RepositorySource } from './repository-source.ts'

/** What sources are opened with. */
export type SourceOptions = Pick<CloudSourceOptions, 'cache' | 'clock' | 'logger' | 'onProgress'>

/** The source for a path as users write it: a directory, or `s3://`, `gs://` or `as://`. Nothing is read yet. */
export function openSource(path: string, options: SourceOptions): RepositorySource {
  if (cloudOf(path) === undefined) return new LocalSource(path)
  return new CloudSource(path, { ...options, openStore })
}
