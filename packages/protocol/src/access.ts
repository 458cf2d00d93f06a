import { type Logger, silentLogger } from '@triton-ts/core'
import type { AccessApi, AccessCall, Authorize } from './authorize.ts'
import { type Restriction, restrictionsByApi } from './restriction.ts'
import { digestOf, isSecret } from './secret-digest.ts'

/** Who may use what, the same for every front end. */
export interface AccessOptions {
  /** APIs that need a header with a value that only some know, as Triton has them. Default: nothing is restricted. */
  readonly restrictedApis?: readonly Restriction[] | undefined
  /** Asked before every call is read. Default: everybody may do everything that is not restricted. */
  readonly authorize?: Authorize | undefined
  /** Hears of an `authorize` that throws. Default: silent. */
  readonly logger?: Logger | undefined
}

/** Why a call is not answered. */
export interface AccessRefusal {
  /** `restricted`: HTTP 403, gRPC UNAVAILABLE, as with Triton. `unauthorized`: HTTP 401, gRPC UNAUTHENTICATED. */
  readonly reason: 'restricted' | 'unauthorized'
  readonly message: string
}

interface Guard {
  /** In lower case, with the prefix of the protocol. */
  readonly header: string
  /** The same as it was configured, for the text of a refusal. */
  readonly shown: string
  readonly digest: Buffer
}

/** Decides for each call whether it is answered. */
export class Access {
  readonly #guards = new Map<AccessApi, Guard>()
  readonly #authorize: Authorize | undefined
  readonly #logger: Logger

  /**
   * @param headerPrefix stands before the names of headers that restrictions name; gRPC has `triton-grpc-protocol-`.
   * @throws TritonError INVALID_ARG for an unknown API and for one that stands in two restrictions.
   */
  constructor({ restrictedApis = [], authorize, logger = silentLogger }: AccessOptions, headerPrefix = '') {
    for (const [api, { key, value }] of restrictionsByApi(restrictedApis)) {
      const shown = headerPrefix + key
      this.#guards.set(api, { header: shown.toLowerCase(), shown, digest: digestOf(value) })
    }
    this.#authorize = authorize
    this.#logger = logger
  }

  /** Whether calls of an API are looked at; where not, there is no need to ask for each. */
  guards(api: AccessApi): boolean {
    return this.#authorize !== undefined || this.#guards.has(api)
  }

  /** The refusal of a call, at once unless `authorize` takes its time. Never throws or rejects. */
  check(call: AccessCall): AccessRefusal | undefined | Promise<AccessRefusal | undefined> {
    // Who is not authorized does not hear what else is needed.
    if (this.#authorize === undefined) return this.#restriction(call)
    try {
      const answer = this.#authorize(call)
      if (typeof answer === 'boolean') return this.#decide(call, answer)
      return answer.then(
        (authorized) => this.#decide(call, authorized),
        (error: unknown) => this.#failed(call, error),
      )
    } catch (error) {
      return this.#failed(call, error)
    }
  }

  #decide(call: AccessCall, authorized: boolean): AccessRefusal | undefined {
    // Exactly true: code without types may answer with anything.
    return authorized === true ? this.#restriction(call) : unauthorized(call)
  }

  #failed(call: AccessCall, error: unknown): AccessRefusal {
    // What is given up because the client left is nobody's mistake.
    if (!call.signal?.aborted)
      this.#logger.error({ err: error, api: call.api }, 'authorize failed; the call is refused')
    return unauthorized(call)
  }

  #restriction(call: AccessCall): AccessRefusal | undefined {
    const guard = this.#guards.get(call.api)
    if (guard === undefined) return undefined
    const value = call.header(guard.header)
    if (value !== undefined && isSecret(value, guard.digest)) return undefined
    const what = call.protocol === 'http' ? 'API' : 'protocol'
    return { reason: 'restricted', message: `This ${what} is restricted, expecting header '${guard.shown}'` }
  }
}

function unauthorized({ api }: AccessCall): AccessRefusal {
  return { reason: 'unauthorized', message: `not authorized for '${api}': valid credentials are needed` }
}
