import { readFile } from 'node:fs/promises'
import { TritonError } from '../../errors.ts'
import type { Cloud, CloudPath } from './cloud-path.ts'

/** For each cloud the fields of a credential, as Triton names them in its file, and the variables that hold them else. */
const variables = {
  s3: {
    key_id: 'AWS_ACCESS_KEY_ID',
    secret_key: 'AWS_SECRET_ACCESS_KEY',
    session_token: 'AWS_SESSION_TOKEN',
    region: 'AWS_DEFAULT_REGION',
    profile: 'AWS_PROFILE',
  },
  gs: { path: 'GOOGLE_APPLICATION_CREDENTIALS' },
  as: {
    account_str: 'AZURE_STORAGE_ACCOUNT',
    account_key: 'AZURE_STORAGE_KEY',
    auth_type: 'AZURE_STORAGE_AUTH_TYPE',
    client_id: 'AZURE_STORAGE_CLIENT_ID',
  },
} as const

/** What a user gave for one cloud. A field that is empty or absent was not given. */
export type Credential<C extends Cloud> = { readonly [Field in keyof (typeof variables)[C]]?: string | undefined }

export type Environment = Readonly<Record<string, string | undefined>>

/** The file that holds credentials for several paths; where this variable is set, no other one counts. */
const credentialFileVariable = 'TRITON_CLOUD_CREDENTIAL_PATH'

/**
 * The credential for a path: from the file that `TRITON_CLOUD_CREDENTIAL_PATH` names, where the longest name that the
 * path begins with wins, else from the variables of the environment.
 * @throws TritonError when the file cannot be read or has no credential for the path.
 */
export async function credentialFor<C extends Cloud>(
  cloud: C,
  { path }: Pick<CloudPath, 'path'>,
  environment: Environment,
): Promise<Credential<C>> {
  const file = environment[credentialFileVariable]
  const fields = Object.entries(variables[cloud])
  if (file === undefined)
    return Object.fromEntries(fields.map(([field, name]) => [field, environment[name]])) as Credential<C>

  const credentials = asObject((await readCredentialFile(file))[cloud] ?? {}, `"${cloud}"`, file)
  const name = Object.keys(credentials)
    .filter((prefix) => path.startsWith(prefix))
    .reduce<string | undefined>((best, prefix) => (best && best.length > prefix.length ? best : prefix), undefined)
  if (name === undefined) throw new TritonError('NOT_FOUND', `Cannot match credential for path  ${path}`)
  const where = `"${cloud}" → "${name}"`
  // Of Google the file holds nothing but the path of another file.
  const given = cloud === 'gs' ? { path: credentials[name] } : asObject(credentials[name], where, file)
  for (const [field] of fields) {
    if (!['string', 'undefined'].includes(typeof given[field]))
      throw new TritonError('INVALID_ARG', `cloud credential file '${file}': ${where}: '${field}' must be a string`)
  }
  return given as Credential<C>
}

async function readCredentialFile(file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    const reason =
      cause instanceof Error && 'code' in cause && cause.code === 'ENOENT' ? 'No such file or directory' : cause
    throw new TritonError('INTERNAL', `failed to open text file for read ${file}: ${reason}`, { cause })
  })
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    // What JSON.parse says quotes the file, and with it a secret.
    throw new TritonError('INVALID_ARG', `cloud credential file '${file}' is not valid JSON`)
  }
  return asObject(content, 'the whole', file)
}

function asObject(value: unknown, where: string, file: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new TritonError('INVALID_ARG', `cloud credential file '${file}': ${where} must be an object`)
}
