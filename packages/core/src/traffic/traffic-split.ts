/** How much of the traffic each version gets, in proportion: `{ 1: 90, 2: 10 }` or `{ 1: 0.9, 2: 0.1 }`. */
export type VersionWeights = Readonly<Record<number, number>>

/** How the requests of a model that name no version are divided among its versions. */
export interface TrafficSplit {
  /**
   * A version that is not named, or has the weight 0, gets only the requests that name it. One that is not ready takes no
   * part: the others have its share, in proportion.
   */
  readonly weights: VersionWeights
  /**
   * The request parameter that is the sticky key where a request has no `stickyKey`; upper and lower case are the same, as
   * in headers. Default `sticky_key`.
   */
  readonly stickyParameter?: string | undefined
}

/** What `stickyParameter` is by default. */
export const defaultStickyParameter = 'sticky_key'
