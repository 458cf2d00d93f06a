import { isDeepStrictEqual } from 'node:util'
import type { ModelConfig } from '../config/model-config.ts'
import { isSameVersion } from '../repository/fingerprint.ts'
import type { PolledModel } from './poll-model.ts'

/**
 * Whether a version that serves must be loaded anew. It need not, as in Triton, when its files are the same and its
 * configuration differs in `instance_group` and `version_policy` at most: then only its instances change.
 */
export function needsReload(loaded: PolledModel, now: PolledModel, version: number): boolean {
  if (loaded.fingerprint === undefined || now.fingerprint === undefined) return true
  if (loaded.repository !== now.repository) return true
  if (!isSameVersion(loaded.fingerprint, now.fingerprint, version)) return true
  return !isDeepStrictEqual(essence(loaded.definition.config), essence(now.definition.config))
}

const essence = (config: ModelConfig): object => ({ ...config, instanceGroup: undefined, versionPolicy: undefined })
