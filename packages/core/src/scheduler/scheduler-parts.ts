import type { BackendModel } from '../backend/backend.ts'
import type { ModelCache } from '../cache/model-cache.ts'
import type { ModelConfig } from '../config/model-config.ts'
import type { EnsemblePlan } from '../ensemble/ensemble-plan.ts'
import type { StepModels } from '../ensemble/step-models.ts'
import type { ModelInstance } from '../instance/model-instance.ts'
import type { InferenceStats } from '../metrics/inference-stats.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import type { InitialStates } from './sequence/sequence-state.ts'

/** What an ensemble is scheduled by, in place of instances. */
export interface EnsembleSource {
  readonly plan: EnsemblePlan
  /** Where the models of its steps are. */
  readonly models: StepModels
}

/** What a scheduler of any kind is made of. */
export interface SchedulerParts {
  readonly config: ModelConfig
  readonly backendModel: BackendModel
  /** Values with which the states of sequences start, where the configuration gives them. */
  readonly initialStates?: InitialStates | undefined
  /** Those that take requests. */
  readonly instances: readonly ModelInstance[]
  /** Of an ensemble, which has no instances. */
  readonly ensemble?: EnsembleSource | undefined
  readonly stats: InferenceStats
  /** Where the configuration enables the response cache and the Server has one. */
  readonly cache?: ModelCache | undefined
  readonly clock: Clock
  readonly logger: Logger
}
