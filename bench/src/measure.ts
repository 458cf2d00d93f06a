/** The middle one of some measurements. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] as number

/** Microseconds of CPU time that the whole process has used, all threads together. */
export function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** A row of a printed table: the first column to the left, the others to the right. */
export const row = (first: string, ...rest: readonly string[]): string =>
  first.padEnd(36) + rest.map((text) => text.padStart(14)).join('')
