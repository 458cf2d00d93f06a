import { gunzipSync, inflateSync } from 'node:zlib'
import type { Case, RecordedResponse } from './corpus.ts'
import { type LenientJson, parseLenientJson } from './lenient-json.ts'
import type { RawResponse } from './raw-http.ts'

/** Says how an answer differs from the recorded one, or undefined when it is the same by the case's rule. */
export function compareAnswer(
  { compare, response: want, note }: Case,
  answer: RawResponse,
  repository: string,
): string | undefined {
  if (compare === 'none' || want.server_died !== undefined || want.transport_error !== undefined) return undefined
  if (answer.status !== want.status)
    return `status ${answer.status}, want ${want.status}; body ${clip(answer.body.toString())}`
  if (compare === 'status') return undefined

  const encoding = answer.headers.get('content-encoding') ?? 'identity'
  if (encoding !== (want.decoded ?? 'identity'))
    return `content-encoding ${encoding}, want ${want.decoded ?? 'identity'}`
  const body = decode(encoding, answer.body)
  const type = mediaType(answer.headers.get('content-type'))
  const wantType = mediaType(want.headers?.['content-type'])
  if (compare === 'exact' && answer.status < 400 && body.length > 0 && wantType && type !== wantType)
    return `content-type ${type}, want ${wantType}`

  // An ensemble of Triton lists its outputs in the order of a hash table.
  const anyOrder = compare === 'json' || (note?.includes('list outputs in hash order') ?? false)
  if (want.json_text !== undefined) return compareBinaryAnswer(want, answer, body, anyOrder)
  if (want.body_b64 !== undefined)
    return body.equals(Buffer.from(want.body_b64, 'base64')) ? undefined : `body ${clip(body.toString('latin1'))}`
  return compareText(compare, masked(body.toString(), repository), want.body_text ?? '', anyOrder)
}

/**
 * Equality of JSON values: numbers by value, floats within a millionth, NaN equal to NaN.
 * With `anyOrder`, lists of named objects are equal in any order. Server metadata may have another version and more extensions.
 */
export function sameJson(a: LenientJson, b: LenientJson, anyOrder: boolean): boolean {
  if (isNumber(a) && isNumber(b)) return sameNumber(a, b)
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return false
    const sort = anyOrder && [...a, ...b].every(isNamed)
    const [left, right] = sort ? [byName(a), byName(b)] : [a, b]
    return left.every((value, i) => sameJson(value, right[i]!, anyOrder))
  }
  if (isObject(a) && isObject(b)) {
    if (!sameKeys(a, b)) return false
    if (Array.isArray(a.extensions) && Array.isArray(b.extensions)) {
      const extensions = new Set(a.extensions)
      return a.name === b.name && b.extensions.every((extension) => extensions.has(extension))
    }
    return Object.entries(a).every(([key, value]) => sameJson(value, b[key]!, anyOrder))
  }
  return a === b
}

function compareBinaryAnswer(want: RecordedResponse, answer: RawResponse, body: Buffer, anyOrder: boolean) {
  const length = answer.headers.get('inference-header-content-length')
  if (length === undefined) return 'no Inference-Header-Content-Length'
  const header = parseLenientJson(body.toString('utf8', 0, Number(length)))
  const wantHeader = parseLenientJson(want.json_text!)!
  if (header === undefined || !sameJson(header, wantHeader, anyOrder))
    return `JSON header ${clip(body.toString('utf8', 0, Number(length)))}, want ${clip(want.json_text!)}`
  const tail = body.subarray(Number(length))
  return tail.equals(Buffer.from(want.binary_b64!, 'base64')) ? undefined : `binary part differs (${tail.length} bytes)`
}

function compareText(compare: Case['compare'], text: string, wantText: string, anyOrder: boolean): string | undefined {
  const difference = `body ${clip(text)}, want ${clip(wantText)}`
  if (compare === 'prefix') return errorPrefix(text) === errorPrefix(wantText) ? undefined : difference
  const [value, want] = [parseLenientJson(text), parseLenientJson(wantText)]
  const same =
    value !== undefined && want !== undefined ? sameJson(value, want, anyOrder) : text.trim() === wantText.trim()
  return same ? undefined : difference
}

/** Durations and times differ in each run, and error texts may name the repository's folder. */
const masked = (text: string, repository: string): string =>
  text.replace(/"(ns|last_inference)":\s*\d+/g, '"$1":0').replaceAll(repository, '$${REPO}')

function errorPrefix(text: string): string | undefined {
  const value = parseLenientJson(text)
  return String(value !== undefined && isObject(value) ? value.error : text).split(':')[0]
}

function decode(encoding: string, body: Buffer): Buffer {
  return encoding === 'gzip' ? gunzipSync(body) : encoding === 'deflate' ? inflateSync(body) : body
}

const mediaType = (header: string | undefined): string => header?.split(';')[0] ?? ''
const clip = (text: string): string => (text.length > 600 ? `${text.slice(0, 600)}...` : text)

const isNumber = (value: LenientJson): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint'
const isObject = (value: LenientJson): value is { [key: string]: LenientJson } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isNamed = (value: LenientJson): boolean => isObject(value) && 'name' in value
const nameOf = (value: LenientJson): string => (isObject(value) ? String(value.name) : '')
const byName = (list: LenientJson[]): LenientJson[] =>
  list.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0))
const sameKeys = (a: object, b: object): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((key) => Object.hasOwn(b, key))

function sameNumber(a: number | bigint, b: number | bigint): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: only == compares a bigint with a number by value
  if (a == b) return true
  if (typeof a === 'bigint' || typeof b === 'bigint') return false
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) && Number.isNaN(b)
  return Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b))
}
