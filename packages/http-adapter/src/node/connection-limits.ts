import { TritonError } from '@triton-ts/core'

/** What clients may take of an endpoint before any request is understood. A whole number each, of at least 1. */
export interface ConnectionLimits {
  /** Connections at the same time; more are closed as they come. Default 10,000. */
  readonly maxConnections?: number | undefined
  /** Requests of one connection that wait for their answers; a connection with more is closed. Default 1,000. */
  readonly maxPipelinedRequests?: number | undefined
  /** Bytes of the request line and the headers; more are a 431. Default 16 KiB. */
  readonly maxHeaderSize?: number | undefined
  /** Headers of one request; more are a 431. Default 200. */
  readonly maxHeaders?: number | undefined
  /** Milliseconds for the headers, from the first byte or the opening of the connection on; then 408. Default 30,000. */
  readonly headersTimeout?: number | undefined
  /** Milliseconds for a request with its body; then 408. Default 300,000. */
  readonly requestTimeout?: number | undefined
  /** Milliseconds that a connection stays open without a request. Default 60,000. */
  readonly keepAliveTimeout?: number | undefined
  /**
   * Milliseconds in which a client takes nothing of its answer until the connection is cut. Default 60,000. The buffers
   * of the system show in large parts what a slow client takes, so it must be long enough for some megabytes.
   */
  readonly sendTimeout?: number | undefined
}

/** Limits with every default. */
export type ResolvedConnectionLimits = { readonly [Name in keyof ConnectionLimits]-?: number }

const defaults: ResolvedConnectionLimits = {
  maxConnections: 10_000,
  maxPipelinedRequests: 1000,
  maxHeaderSize: 16 * 1024,
  maxHeaders: 200,
  headersTimeout: 30_000,
  requestTimeout: 300_000,
  keepAliveTimeout: 60_000,
  sendTimeout: 60_000,
}

/** @throws TritonError INVALID_ARG for a limit that is no whole number of at least 1, or longer than what it is part of. */
export function resolveConnectionLimits(limits: ConnectionLimits): ResolvedConnectionLimits {
  const limit = (name: keyof ConnectionLimits, preset = defaults[name]): number => {
    const value = limits[name] ?? preset
    if (Number.isSafeInteger(value) && value >= 1) return value
    throw new TritonError('INVALID_ARG', `${name} must be a whole number of at least 1, got ${value}`)
  }
  const requestTimeout = limit('requestTimeout')
  const headersTimeout = limit('headersTimeout', Math.min(defaults.headersTimeout, requestTimeout))
  if (headersTimeout > requestTimeout) {
    const text = `headersTimeout must be at most requestTimeout, got ${headersTimeout} and ${requestTimeout}`
    throw new TritonError('INVALID_ARG', text)
  }
  return {
    maxConnections: limit('maxConnections'),
    maxPipelinedRequests: limit('maxPipelinedRequests'),
    maxHeaderSize: limit('maxHeaderSize'),
    maxHeaders: limit('maxHeaders'),
    headersTimeout,
    requestTimeout,
    keepAliveTimeout: limit('keepAliveTimeout'),
    sendTimeout: limit('sendTimeout'),
  }
}
