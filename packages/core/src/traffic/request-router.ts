import { TritonError } from '../errors.ts'
import type { ModelVersion } from '../lifecycle/model-version.ts'
import { toCorrelationId } from '../request/correlation-id.ts'
import type { InferRequest, RoutedRequest } from '../request/infer-request.ts'
import { textSalt } from './key-hash.ts'
import type { ModelSplit } from './model-split.ts'
import { rendezvous } from './rendezvous.ts'
import { stickyKeyOf } from './sticky-key.ts'
import { defaultStickyParameter } from './traffic-split.ts'
import type { TrafficSplits } from './traffic-splits.ts'
import { readyShares, totalWeight, type VersionShare, versionShares } from './version-share.ts'

/** The models of a Server. */
export interface RoutedModels {
  /** @throws TritonError with Triton's texts. */
  find(name: string, version: number, namespace?: string): ModelVersion
  /** Ready versions of a model, lowest first. */
  readyOf(id: string): readonly ModelVersion[]
}

/** What says which version a request goes to. */
type Routing = Pick<InferRequest, 'id' | 'parameters' | 'correlationId' | 'stickyKey' | 'trafficSplit'>

/** Says which version of its model a request goes to. */
export class RequestRouter {
  readonly #models: RoutedModels
  readonly #splits: TrafficSplits
  /** Requests without key that brought weights of their own. */
  #keyless = 0

  constructor(models: RoutedModels, splits: TrafficSplits) {
    this.#models = models
    this.#splits = splits
  }

  /**
   * The version that was asked for or, with -1, what a traffic split says, and without one the highest that is ready.
   * @param namespace of the model whose code asks, if any, where names are told apart by repository.
   * @throws TritonError with Triton's texts, and INVALID_ARG for a split or a key of the request that is none.
   */
  find(name: string, version: number, request: Routing, namespace?: string): ModelVersion {
    const highest = this.#models.find(name, version, namespace)
    if (version !== -1 || (this.#splits.isEmpty && request.trafficSplit === undefined)) return highest
    const split = this.#splits.find(highest.id, highest.name)
    if (split === undefined && request.trafficSplit === undefined) return highest
    const ready = this.#models.readyOf(highest.id)
    const chosen = versionOfSequence(ready, request) ?? this.#choose(highest, ready, request, split)
    if (chosen === undefined) {
      const text = `Request for unknown model: '${highest.id}' has no available versions with a weight in its traffic split`
      throw new TritonError('NOT_FOUND', text)
    }
    if (request.trafficSplit === undefined) split?.count(chosen.version)
    return chosen
  }

  #choose(
    { id, name }: ModelVersion,
    ready: readonly ModelVersion[],
    request: Routing,
    split: ModelSplit | undefined,
  ): ModelVersion | undefined {
    const shares = sharesOf(name, ready, request, split)
    const key = keyOf(request, split) ?? sequenceOf(request)
    const version =
      key === undefined && request.trafficSplit === undefined
        ? split?.next(id, shares)
        : // Weights of a request know no turns: without a key, each request is its own.
          rendezvous(shares, key ?? String(this.#keyless++), textSalt(name))
    return ready.find((model) => model.version === version)
  }

  /** The request, which knows why it goes to `chosen` where it is to be explained. */
  explain(request: InferRequest, version: number, { id, name, version: chosen }: ModelVersion): RoutedRequest {
    if (!request.explain || version !== -1) return request
    const split = this.#splits.find(id, name)
    if (split === undefined && request.trafficSplit === undefined) return request
    const ready = this.#models.readyOf(id)
    const shares = sharesOf(name, ready, request, split)
    const key = versionOfSequence(ready, request) === undefined ? keyOf(request, split) : undefined
    return {
      ...request,
      split: {
        weight: shares.find(({ version }) => version === chosen)?.weight ?? 0,
        total: totalWeight(shares),
        key,
        sequence: key === undefined ? sequenceOf(request) : undefined,
      },
    }
  }
}

/** Among which versions a request is divided. */
const sharesOf = (
  name: string,
  ready: readonly ModelVersion[],
  { trafficSplit }: Routing,
  split: ModelSplit | undefined,
): readonly VersionShare[] =>
  readyShares(trafficSplit === undefined ? (split?.shares ?? []) : versionShares(trafficSplit, name), ready)

const keyOf = (request: Routing, split: ModelSplit | undefined): string | undefined =>
  stickyKeyOf(request, split?.stickyParameter ?? defaultStickyParameter)

const sequenceOf = ({ correlationId }: Routing): string | undefined =>
  correlationId ? String(correlationId) : undefined

/**
 * The version in which the sequence of a request goes on; undefined when it goes on in none.
 * @throws TritonError for a correlation id that is none.
 */
function versionOfSequence(
  ready: readonly ModelVersion[],
  { correlationId }: Pick<InferRequest, 'correlationId'>,
): ModelVersion | undefined {
  if (!correlationId || ready[0]?.signature.sequence === undefined) return undefined
  const id = toCorrelationId(correlationId)
  return ready.find((version) => version.hasSequence(id))
}
