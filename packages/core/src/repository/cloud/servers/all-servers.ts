import { describe } from 'vitest'
import { azurite } from './azurite-server.ts'
import type { ServerKind } from './cloud-server.ts'
import { fakeGcs } from './fake-gcs-server.ts'
import { s3rver, versitygw } from './s3-servers.ts'

/** `tests` with each kind of server; where this machine has none of a kind, the name of what is skipped says why. */
export async function withEachServer(tests: (kind: ServerKind) => void): Promise<void> {
  for (const kind of [s3rver, versitygw, await fakeGcs(), azurite]) {
    if (kind.missing === undefined) describe(kind.name, () => tests(kind))
    else describe.skip(`${kind.name}: ${kind.missing}`, () => tests(kind))
  }
}
