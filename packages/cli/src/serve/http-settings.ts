import type { Restriction } from '@triton-ts/protocol'
import type { FlagValues } from '../flags/flags.ts'
import { UsageError } from '../flags/usage-error.ts'
import type { Address } from './address.ts'
import { forwardPattern } from './header-pattern.ts'
import { parseRestrictions } from './restricted-apis.ts'

/** How HTTP is served. */
export interface HttpSettings extends Address {
  readonly maxInputSize: number
  readonly maxBodySize: number
  readonly headerForwardPattern: RegExp | undefined
  readonly restrictedApis: readonly Restriction[]
}

/** @throws UsageError for flags that make no sense. */
export function httpSettings(values: FlagValues): HttpSettings {
  const http: HttpSettings = {
    host: values['http-address'],
    port: values['http-port'],
    maxInputSize: values['http-max-input-size'],
    maxBodySize: values['http-max-body-size'],
    headerForwardPattern: forwardPattern('http-header-forward-pattern', values['http-header-forward-pattern']),
    restrictedApis: parseRestrictions('http-restricted-api', values['http-restricted-api']),
  }
  if (http.maxInputSize <= 0) {
    throw new UsageError('Error: --http-max-input-size must be greater than 0.', 'http-max-input-size')
  }
  if (http.maxBodySize <= 0 || http.maxBodySize > 2 ** 31 - 1) {
    throw new UsageError('Error: --http-max-body-size must be from 1 to 2147483647.', 'http-max-body-size')
  }
  return http
}
