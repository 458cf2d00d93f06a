import { PassThrough, type Readable } from 'node:stream'
import { type StoredObject, StoreError, type StoreErrorKind } from './object-store.ts'

/** How a service, or the way to it, failed. */
export interface ServiceFailure {
  /** Of HTTP; undefined when there was no answer. */
  readonly status?: number | undefined
  /** The service's or the system's name for it, for instance `NoSuchBucket` or `ECONNREFUSED`. */
  readonly code?: string | undefined
  readonly message: string
  /** Where it is known better than status and code tell. */
  readonly kind?: StoreErrorKind | undefined
}

/** What was asked when it failed. */
export interface Asked {
  /** With its kind: `bucket 'models'`. */
  readonly bucket: string
  readonly object?: StoredObject | undefined
  /** Said when access is denied: how the request was signed, if that explains it. */
  readonly identity?: string | undefined
}

/** Statuses besides 5xx that tell to come back later: request time-out, too early, too many requests. */
const busyStatuses = new Set([408, 425, 429])
/** Names that say more than the status 400 they come with. */
const busyCodes = new Set(['RequestTimeout', 'SlowDown', 'ThrottlingException'])
/** The last is versitygw's word for a key that it does not know. */
const deniedCodes = new Set(['ExpiredToken', 'InvalidToken', 'PublicAccessNotPermitted', 'XAdminUserNotFound'])

/** A failure in one sentence. It has no cause: errors of the SDKs hold their requests, signatures and all. */
export function storeError(failure: ServiceFailure, asked: Asked): StoreError {
  const kind = failure.kind ?? kindOf(failure)
  const told = [failure.status, failure.code].filter((part) => part !== undefined).join(' ')
  const reason = told === '' ? failure.message : `${told}: ${failure.message}`
  return new StoreError(kind, `${sentence(kind, failure, asked)} (${reason})`)
}

function kindOf({ status, code = '' }: ServiceFailure): StoreErrorKind {
  if (busyCodes.has(code)) return 'busy'
  if (deniedCodes.has(code) || status === 401 || status === 403) return 'denied'
  // 412: the object is another one now than the one that was listed.
  if (status === 404 || status === 412) return 'missing'
  if (/CERT|SELF_SIGNED|SSL|EPROTO/.test(code) || status === 501) return 'failed'
  // No answer, or one that breaks off or makes no sense: the next try may find the service well.
  return status === undefined || status < 300 || status >= 500 || busyStatuses.has(status) ? 'busy' : 'failed'
}

function sentence(kind: StoreErrorKind, { status }: ServiceFailure, { bucket, object, identity }: Asked): string {
  const what = object === undefined ? bucket : `object '${object.key}' of ${bucket}`
  if (status === 412) return `${what} has changed since it was listed`
  if (kind === 'missing') return `${what} does not exist`
  if (kind === 'denied') return `access to ${what} is denied${identity === undefined ? '' : `; ${identity}`}`
  if (status === undefined) return `${what} cannot be reached`
  return `${what} cannot be read`
}

/** What the system says of a connection that failed, in its first line; of several addresses that were tried, the first. */
export function connectionFailure(error: unknown): ServiceFailure {
  const reasons = error instanceof AggregateError ? error.errors : [error]
  const first: unknown = reasons[0] ?? error
  const code = first instanceof Error && 'code' in first && typeof first.code === 'string' ? first.code : undefined
  const [message = ''] = (first instanceof Error ? first.message : String(first)).split('\n')
  return { code, message }
}

/** The content as it comes in, whose end before its time is an error of the store's. Destroying it frees the connection. */
export function objectContent(body: Readable, failed: (cause: unknown) => unknown): Readable {
  const content = new PassThrough()
  body.on('error', (cause) => content.destroy(asError(failed(cause))))
  body.on('close', () => {
    if (!body.readableEnded) content.destroy(asError(failed(new Error('the connection was closed'))))
  })
  content.on('close', () => body.destroy())
  return body.pipe(content)
}

const asError = (value: unknown): Error => (value instanceof Error ? value : new Error(String(value)))
