import { TritonError } from '../errors.ts'

const units = new Map([
  ['', 1],
  ['B', 1],
  ['KB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
  ['TB', 1e12],
  ['KIB', 2 ** 10],
  ['MIB', 2 ** 20],
  ['GIB', 2 ** 30],
  ['TIB', 2 ** 40],
])

/**
 * Bytes of a size such as 8000000000, '8GB' or '7.5 GiB'. As everywhere, 1 GB is 1000 MB and 1 GiB is 1024 MiB.
 * @throws TritonError INVALID_ARG for anything else, and for 0.
 */
export function parseMemorySize(size: number | string, what: string): number {
  const [, digits, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(String(size)) ?? []
  const factor = units.get(unit.toUpperCase())
  const bytes = digits === undefined || factor === undefined ? 0 : Math.floor(Number(digits) * factor)
  if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes
  const text = `${what} must be a number of bytes above 0, or a text such as '8GB' or '512MiB', got '${size}'`
  throw new TritonError('INVALID_ARG', text)
}

/** A size as people read it: `1.5 GB`. */
export function memorySizeText(bytes: number): string {
  const names = ['B', 'KB', 'MB', 'GB', 'TB']
  const index = Math.min(names.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  return `${Number((bytes / 1000 ** index).toPrecision(3))} ${names[index]}`
}
