import type { ModelManager } from '../lifecycle/model-manager.ts'
import type { PollOptions } from '../lifecycle/poll-model.ts'
import type { AbortFollowers } from '../util/abort-followers.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { DemandLoader } from './demand-loader.ts'
import { EvictionOrder } from './eviction-order.ts'
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
  const { manager, poll, budget, memoryOf, clock, logger } = settings
  const residents = new Residents()
  const order = new EvictionOrder(residents, (name) => manager.readyVersions(name), clock)
  const evictor = new Evictor({ manager, residents, order, logger, proceed: () => line.proceed() })
  const line = new LoadLine({
    residents,
    order,
    budget,
    clock,
    evict: (victims, why) => void evictor.evict(victims, why),
    watch: (busy) => evictor.watch(busy),
    drain: (busy, why) => evictor.drain(busy, why),
  })
  const survey = new ModelSurvey(poll, () => manager.known())
  const costs = new MemoryCosts(memoryOf)
  const loader = new DemandLoader({ manager, survey, costs, residents, order, line, evictor, budget, clock, logger })
  return new OnDemand({ ...settings, survey, residents, line, evictor, loader })
}
