/** The middle one of some measurements. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] as number

/** What a number of calls took. */
export interface CallFigures {
  /** Microseconds of a call, the median. */
  readonly p50: number
  /** Microseconds of wall-clock time and of CPU for each call. */
  readonly each: number
  readonly cpu: number
}

/** Makes `calls` calls from `depth` callers, each of which waits for its answer before it calls again. */
export async function measureCalls(call: () => Promise<unknown>, depth: number, calls: number): Promise<CallFigures> {
  const times = new Float64Array(calls)
  let begun = 0
  const caller = async (): Promise<void> => {
    while (begun < calls) {
      const place = begun++
      const start = performance.now()
      await call()
      times[place] = (performance.now() - start) * 1000
    }
  }
  const cpu = cpuMicroseconds()
  const start = performance.now()
  await Promise.all(Array.from({ length: depth }, caller))
  const each = ((performance.now() - start) * 1000) / calls
  return { p50: median([...times]), each, cpu: (cpuMicroseconds() - cpu) / calls }
}

/** Microseconds of CPU time that the whole process has used, all threads together. */
export function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** A row of a printed table: the first column to the left, the others to the right. */
export const row = (first: string, ...rest: readonly string[]): string =>
  first.padEnd(36) + rest.map((text) => text.padStart(14)).join('')
