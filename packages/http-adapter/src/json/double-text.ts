/** A double as Triton prints it: `1.0`, not `1`, so that readers that tell integers from floats see a float. */
export function doubleText(value: number): string {
  if (!Number.isInteger(value) || Math.abs(value) >= 1e21) return String(value)
  return Object.is(value, -0) ? '-0.0' : `${value}.0`
}
