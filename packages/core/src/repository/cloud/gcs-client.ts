import type { CloudSdks } from './cloud-sdks.ts'
import type { Credential, Environment } from './credentials.ts'
import { StoreError } from './object-store.ts'
import { connectionFailure } from './service-failure.ts'

/** Where Google's service is and who asks. */
export interface GcsClient {
  readonly endpoint: string
  /** The headers that say who asks. */
  headers(url: string): Promise<Headers>
  /** Whether nobody is known to ask, as far as it has been looked for. */
  isAnonymous(): boolean
}

/** As Google's libraries say that nothing was found where credentials may be. */
const nothingFound = 'Could not load the default credentials'

/**
 * The file that was given counts first, then what Google's package finds (the file of `gcloud`, the machine's service
 * account). Where there is nothing requests go without, as in Triton, which public buckets answer. An emulator
 * (`STORAGE_EMULATOR_HOST`) is asked without credentials.
 */
export async function gcsClient(
  sdks: CloudSdks,
  { path: keyFilename }: Credential<'gs'>,
  environment: Environment,
): Promise<GcsClient> {
  const { Storage } = await sdks.storage()
  const emulator = environment.STORAGE_EMULATOR_HOST
  if (emulator) return { endpoint: asUrl(emulator), headers: async () => new Headers(), isAnonymous: () => false }

  const { apiEndpoint, authClient } = new Storage(keyFilename ? { keyFilename } : {})
  let isAnonymous = false
  const headers = async (url: string): Promise<Headers> => {
    if (isAnonymous) return new Headers()
    try {
      return new Headers(await authClient.getRequestHeaders(url))
    } catch (cause) {
      if (!(cause instanceof Error && cause.message.startsWith(nothingFound))) throw notIdentified(cause)
      isAnonymous = true
      return new Headers()
    }
  }
  return { endpoint: apiEndpoint, headers, isAnonymous: () => isAnonymous }
}

function asUrl(host: string): string {
  const url = host.includes('://') ? host : `http://${host}`
  return url.replace(/(\/storage\/v1)?\/*$/, '')
}

/** A file of credentials that is not there or wrong stays so; a token service that does not answer may recover. */
function notIdentified(cause: unknown): StoreError {
  const { code, message } = connectionFailure(cause)
  const status = cause instanceof Error && 'status' in cause ? Number(cause.status) : undefined
  const isBusy =
    status === undefined ? /^(E(CONN|TIMEDOUT|AI_AGAIN|PIPE|NOTFOUND)|UND_)/.test(code ?? '') : status >= 500
  return new StoreError(isBusy ? 'busy' : 'denied', `no access with the Google credentials: ${message}`, { cause })
}
