import { ModelCache } from '../cache/model-cache.ts'
import type { ModelConfig } from '../config/model-config.ts'
import type { LoadContext } from './load-version.ts'

/** The Server's cache for one version of a model that asks for it; undefined when it does not, or there is none. */
export function modelCache(
  id: string,
  config: ModelConfig,
  version: number,
  { cache, logger }: LoadContext,
): ModelCache | undefined {
  if (!config.responseCache?.enable) return undefined
  if (cache !== undefined) return new ModelCache(cache, { ...config, name: id }, version)
  const text = `model '${id}' enables response_cache but the server has no cache: every request runs`
  logger.warn({ model: id, version }, text)
  return undefined
}
