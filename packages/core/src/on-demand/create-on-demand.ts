import type { ModelManager } from '../lifecycle/model-manager.ts'
import type { PollOptions } from '../lifecycle/poll-model.ts'
import type { AbortFollowers } from '../util/abort-followers.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { DemandLoader } from './demand-loader.ts'
import { Evictor } from './evictor.ts'
import { LoadLine } from './load-line.ts'
import { MemoryCosts, type MemoryOf } from './memory-costs.ts'
import { ModelSurvey } from './model-survey.ts'
import { OnDemand } from './on-demand.ts'
import { Residents } from './residents.ts'

/** What models on demand are made of. */
export interface OnDemandSettings {
  readonly manager: ModelManager
  readonly poll: PollOptions
  /** Bytes. */
  readonly budget: number
  readonly memoryOf: MemoryOf | undefined
  readonly clock: Clock
  readonly logger: Logger
  readonly signals: AbortFollowers
}

/** Puts the parts together. */
export function createOnDemand(settings: OnDemandSettings): OnDemand {
  const { manager, poll, budget, memoryOf, logger } = settings
  const residents = new Residents((name) => manager.readyVersions(name).every((version) => version.isUnused))
  const evictor = new Evictor({ manager, residents, logger, proceed: () => line.proceed() })
  const line = new LoadLine({
    residents,
    budget,
    evict: (victims, why) => void evictor.evict(victims, why),
    watch: (busy) => evictor.watch(busy),
  })
  const survey = new ModelSurvey(poll, () => manager.known())
  const costs = new MemoryCosts(memoryOf)
  const loader = new DemandLoader({ manager, survey, costs, residents, line, evictor, budget, logger })
  return new OnDemand({ ...settings, repository: poll.repository, residents, line, evictor, loader })
}
