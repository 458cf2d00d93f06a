import { type Logger, silentLogger, TritonError } from '@triton-ts/core'
import { headerPattern, type RestrictedApi, type Restriction, restrictionsByApi } from '@triton-ts/protocol'

/** Settings of the HTTP protocol, the same for every entry. */
export interface HttpOptions {
  /**
   * Bytes that a JSON body or header, a tensor in JSON, a raw binary request and a body after decompression may have.
   * Binary tensors behind a JSON header are not limited by it. Default 64 MiB.
   */
  readonly maxInputSize?: number | undefined
  /**
   * Headers whose name it matches anywhere become string parameters of the request. A string is a regular expression
   * without regard to case. Default: none.
   */
  readonly headerForwardPattern?: RegExp | string | undefined
  /** Default: nothing is restricted. */
  readonly restrictedApis?: readonly Restriction[] | undefined
  /** Whether models can be loaded and unloaded over HTTP, where the Server's model control allows it. Default true. */
  readonly repositoryControl?: boolean | undefined
  /** Hears of failures that are faults of this program. Default: silent. */
  readonly logger?: Logger | undefined
}

/** Options with every default, in the form that the routes use. */
export interface ResolvedHttpOptions {
  readonly maxInputSize: number
  readonly headerForwardPattern: RegExp | undefined
  readonly restrictions: ReadonlyMap<RestrictedApi, Restriction>
  readonly repositoryControl: boolean
  readonly logger: Logger
}

const defaultMaxInputSize = 64 * 1024 * 1024

/** @throws TritonError INVALID_ARG for options that make no sense. */
export function resolveHttpOptions(options: HttpOptions): ResolvedHttpOptions {
  const maxInputSize = options.maxInputSize ?? defaultMaxInputSize
  if (!Number.isSafeInteger(maxInputSize) || maxInputSize <= 0) {
    throw new TritonError('INVALID_ARG', `maxInputSize must be a whole number of bytes above 0, got ${maxInputSize}`)
  }
  return {
    maxInputSize,
    headerForwardPattern: headerPattern(options.headerForwardPattern),
    restrictions: restrictionsByApi(options.restrictedApis ?? []),
    repositoryControl: options.repositoryControl ?? true,
    logger: options.logger ?? silentLogger,
  }
}
