import type { Access, AccessApi, AccessRefusal } from '@triton-ts/protocol'
import { errorText } from './kserve/http-status.ts'
import type { UniversalRequest, WholeResponse } from './universal.ts'

/** The answer to a request that may not use an API; undefined for one that may. */
export async function refusalOf(
  access: Access,
  api: AccessApi,
  request: UniversalRequest,
): Promise<WholeResponse | undefined> {
  const { path, peer, signal } = request
  const header = (name: string): string | undefined => request.header(name)
  const refusal = await access.check({ protocol: 'http', api, path, header, peer, signal })
  return refusal && refused(refusal)
}

function refused({ reason, message }: AccessRefusal): WholeResponse {
  if (reason === 'restricted') return errorText(403, 'text/plain', message)
  const { status, headers, body } = errorText(401, 'application/json', message)
  return { status, headers: [...headers, 'WWW-Authenticate', 'Bearer'], body }
}
