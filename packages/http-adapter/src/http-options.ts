import { type Logger, TritonError } from '@triton-ts/core'
import { Access, type AccessOptions, headerPattern } from '@triton-ts/protocol'
import { maxContentLength } from './kserve/size-limits.ts'

/** Settings of the HTTP protocol, the same for every entry. */
export interface HttpOptions extends AccessOptions {
  /**
   * Bytes that a JSON body or header, a tensor in JSON, a raw binary request and a body after decompression may have.
   * Binary tensors behind a JSON header are not limited by it. Default 64 MiB.
   */
  readonly maxInputSize?: number | undefined
  /** Bytes of a body with binary tensors behind its JSON. Default and most: 2^31 - 1. */
  readonly maxBodySize?: number | undefined
  /**
   * Requests that are worked on at the same time; more are answered with 503 and `Retry-After`, but for health checks.
   * A stream counts until its first response. Default 10,000.
   */
  readonly maxRequests?: number | undefined
  /**
   * Headers whose name it matches anywhere become string parameters of the request. A string is a regular expression
   * without regard to case. Default: none.
   */
  readonly headerForwardPattern?: RegExp | string | undefined
  /** Whether models can be loaded and unloaded over HTTP, where the Server's model control allows it. Default true. */
  readonly repositoryControl?: boolean | undefined
  /**
   * Whether clients may register and unregister shared memory; those who can must be trusted with every region of this
   * machine that the Server may open. Default: only where the endpoint is bound to a loopback address itself.
   */
  readonly sharedMemory?: boolean | undefined
  /**
   * Whether answers of `infer` tell why the request ran when it did, in the header `Triton-Ts-Explanation`, as text that
   * is percent-encoded. Default false.
   */
  readonly explain?: boolean | undefined
  /** Hears of failures that are faults of this program. Default: the Server's. */
  readonly logger?: Logger | undefined
}

/** Options with every default, in the form that the routes use. */
export interface ResolvedHttpOptions {
  readonly maxInputSize: number
  readonly maxBodySize: number
  readonly maxRequests: number
  readonly headerForwardPattern: RegExp | undefined
  readonly access: Access
  readonly repositoryControl: boolean
  readonly sharedMemory: boolean
  readonly explain: boolean
  readonly logger: Logger
}

const defaultMaxInputSize = 64 * 1024 * 1024
const defaultMaxRequests = 10_000

/**
 * @param log the Server's.
 * @throws TritonError INVALID_ARG for options that make no sense.
 */
export function resolveHttpOptions(options: HttpOptions, log: Logger): ResolvedHttpOptions {
  const maxInputSize = wholeNumber('maxInputSize', options.maxInputSize ?? defaultMaxInputSize)
  const maxBodySize = wholeNumber('maxBodySize', options.maxBodySize ?? maxContentLength)
  if (maxBodySize > maxContentLength) {
    throw new TritonError('INVALID_ARG', `maxBodySize must be at most ${maxContentLength}, got ${maxBodySize}`)
  }
  const maxRequests = wholeNumber('maxRequests', options.maxRequests ?? defaultMaxRequests)
  return {
    maxInputSize,
    maxBodySize,
    maxRequests,
    headerForwardPattern: headerPattern(options.headerForwardPattern),
    access: new Access({ ...options, logger: options.logger ?? log }),
    repositoryControl: options.repositoryControl ?? true,
    sharedMemory: options.sharedMemory ?? false,
    explain: options.explain ?? false,
    logger: options.logger ?? log,
  }
}

function wholeNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new TritonError('INVALID_ARG', `${name} must be a whole number above 0, got ${value}`)
}
