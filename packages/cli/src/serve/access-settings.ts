import type { Logger } from '@triton-ts/core'
import { type AccessApi, type Authorize, accessApis, apiKeys } from '@triton-ts/protocol'
import type { FlagValues } from '../flags/flags.ts'
import { UsageError } from '../flags/usage-error.ts'
import { failure } from './failure.ts'

/** Who may use the server, over whichever protocol. */
export interface AccessSettings {
  /** `''`: everybody who reaches it. */
  readonly apiKeyFile: string
  /** What needs no key. */
  readonly exemptApis: readonly AccessApi[]
}

/** @throws UsageError for an unknown API, and for exemptions without keys. */
export function accessSettings(values: FlagValues): AccessSettings {
  const flag = 'api-key-exempt-apis'
  const exemptApis = values[flag].flatMap((names) => names.split(',')).map((name) => readApi(flag, name))
  const apiKeyFile = values['api-key-file']
  if (exemptApis.length > 0 && apiKeyFile === '') {
    throw new UsageError(`Error: Use of '--${flag}' requires setting '--api-key-file' as well.`, flag)
  }
  return { apiKeyFile, exemptApis }
}

function readApi(flag: string, name: string): AccessApi {
  const api = accessApis.find((candidate) => candidate === name)
  if (api !== undefined) return api
  throw new UsageError(`unknown api '${name}'; there are ${accessApis.join(', ')}`, flag)
}

/**
 * Opens the key file, if there is one.
 * @throws Error for one that cannot be read or understood.
 */
export async function openAccess(settings: AccessSettings, log: Logger): Promise<Authorize | undefined> {
  const { apiKeyFile, exemptApis } = settings
  if (apiKeyFile === '') return undefined
  try {
    return await apiKeys(apiKeyFile, { exemptApis, logger: log })
  } catch (error) {
    throw failure('creating server', error)
  }
}
