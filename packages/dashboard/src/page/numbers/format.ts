/** What stands where there is no number. */
export const none = '–'

/** Three digits that matter, and a unit: `1.23`, `45.6k`. */
export function formatNumber(value: number | undefined): string {
  if (value === undefined) return none
  if (Math.abs(value) >= 1e6) return `${digits(value / 1e6)}M`
  if (Math.abs(value) >= 1e4) return `${digits(value / 1e3)}k`
  return digits(value)
}

/** Seconds as `12.3 µs`, `4.56 ms`, `7.89 s`, and `0`. */
export function formatSeconds(seconds: number | undefined): string {
  if (seconds === undefined) return none
  if (seconds === 0) return '0'
  if (seconds >= 1) return `${digits(seconds)} s`
  return seconds >= 1e-3 ? `${digits(seconds * 1e3)} ms` : `${digits(seconds * 1e6)} µs`
}

export const formatShare = (share: number): string => `${Math.round(share * 100)} %`

function digits(value: number): string {
  const size = Math.abs(value)
  if (Number.isInteger(value)) return String(value)
  if (size >= 100) return value.toFixed(0)
  return size >= 10 ? value.toFixed(1) : value.toFixed(2)
}
