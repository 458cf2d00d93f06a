import type { ModelContext } from '../backend/backend.ts'
import type { ModelConfig } from '../config/model-config.ts'
import type { Logger } from '../util/logger.ts'
import type { CodeServer } from './code-server.ts'
import type { ModelMetrics } from './model-metrics.ts'

/** Where the code of one instance runs: what contexts and answers are made from. */
export interface CodeHost {
  readonly model: string
  readonly version: number
  /** `''` before there is one. */
  readonly instance: string
  readonly config: ModelConfig
  readonly parameters: Readonly<Record<string, string>>
  readonly directory: string
  readonly versionDirectory: string
  readonly logger: Logger
  readonly metrics: ModelMetrics
  readonly server: CodeServer
}

/** The part of a model's context that can be sent to another thread. */
export type HostFacts = Pick<ModelContext, 'name' | 'version' | 'directory' | 'versionDirectory'>

/** @param instance its name; `''` before there is one. */
export function codeHost(
  { name, version, directory, versionDirectory }: HostFacts,
  config: ModelConfig,
  instance: string,
  ways: Pick<CodeHost, 'logger' | 'metrics' | 'server'>,
): CodeHost {
  const parameters = Object.fromEntries(
    Object.entries(config.parameters).map(([key, { stringValue }]) => [key, stringValue]),
  )
  return { model: name, version, instance, config, parameters, directory, versionDirectory, ...ways }
}
