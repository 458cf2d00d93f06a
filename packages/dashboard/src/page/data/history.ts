import type { LiveSnapshot } from '../../live-snapshot.ts'
import { type Activity, activities, together } from '../numbers/measure.ts'

/** Seconds over which rates and percentiles are taken: one alone would jump. */
const stretch = 5
/** Points of a chart; at one a second, five minutes. */
const kept = 300

export interface Point {
  /** Seconds since 1970. */
  readonly time: number
  /** Undefined where nobody knows: the page was not told. */
  readonly activity: Activity | undefined
}

/** What the page has heard so far of each version and of all together. */
export class History {
  #snapshots: LiveSnapshot[] = []
  readonly #versions = new Map<string, Point[]>()
  #total: Activity | undefined

  get latest(): LiveSnapshot | undefined {
    return this.#snapshots.at(-1)
  }

  /** Of a version, oldest first. */
  points(version: string): readonly Point[] {
    return this.#versions.get(version) ?? []
  }

  /** Of all versions together, now; undefined where nobody knows. */
  get total(): Activity | undefined {
    return this.#total
  }

  /** @returns false for one that is known already. */
  add(snapshot: LiveSnapshot): boolean {
    const { latest } = this
    if (snapshot.time === latest?.time) return false
    const passed = latest === undefined ? 0 : snapshot.time - latest.time
    // Nobody looked, the clock of the server went back, or another server is there now.
    if (passed < 0 || passed > stretch * 1000) this.gap()
    this.#snapshots = this.#snapshots.filter(({ time }) => snapshot.time - time <= stretch * 1000)
    const [before] = this.#snapshots
    this.#snapshots.push(snapshot)
    if (before === undefined) return true
    const now = activities(snapshot, before)
    const time = snapshot.time / 1000
    for (const [version, activity] of now) this.#point(version, { time, activity })
    for (const [version, points] of this.#versions) {
      if (!now.has(version)) append(points, { time, activity: undefined })
      if (points.every(({ activity }) => activity === undefined)) this.#versions.delete(version)
    }
    this.#total = together([...now.values()])
    return true
  }

  /** The page was not told for a while: what comes does not go on from what was. */
  gap(): void {
    const { latest } = this
    this.#snapshots = []
    this.#total = undefined
    if (latest === undefined) return
    const empty = { time: latest.time / 1000 + 0.001, activity: undefined }
    for (const points of this.#versions.values()) append(points, empty)
  }

  #point(version: string, point: Point): void {
    const points = this.#versions.get(version)
    if (points === undefined) this.#versions.set(version, [point])
    else append(points, point)
  }
}

function append(points: Point[], point: Point): void {
  points.push(point)
  if (points.length > kept) points.shift()
}
