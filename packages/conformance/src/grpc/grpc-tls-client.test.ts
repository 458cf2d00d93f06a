import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Certificate, certificateAuthority } from '@triton-ts/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { testClientChecks } from '../client-checks.ts'
import { goldenRepository } from '../corpus.ts'
import { type PythonEnvironment, preparePython, runClient } from '../python-environment.ts'
import { SpawnedServer } from '../spawned-server.ts'

const checks = [
  'with_a_certificate',
  'with_a_certificate_aio',
  'without_a_certificate',
  'with_a_certificate_of_another_authority',
  'without_tls',
]

describe('tritonclient.grpc over mutual TLS', () => {
  let environment: PythonEnvironment
  let folder: string | undefined
  let server: SpawnedServer | undefined
  let lines: string[] = []

  beforeAll(async () => {
    environment = await preparePython()
    if ('missing' in environment) return console.warn(`tests of gRPC over TLS skipped: ${environment.missing}`)
    const files = await mkdtemp(join(tmpdir(), 'triton-ts-tls-'))
    folder = files
    const authority = certificateAuthority()
    const write = async (name: string, { cert, key }: Certificate): Promise<void> => {
      await writeFile(join(files, `${name}.crt`), cert)
      await writeFile(join(files, `${name}.key`), key)
    }
    await writeFile(join(files, 'ca.crt'), authority.cert)
    await write('server', authority.issue('server'))
    await write('client', authority.issue('client'))
    await write('other', certificateAuthority('another authority').issue('other'))
    server = await SpawnedServer.start({
      modelRepositories: [join(goldenRepository, 'models')],
      flags: [
        ...['--model-control-mode=explicit', '--load-model=identity_fp32', '--grpc-use-ssl-mutual=true'],
        ...[`--grpc-server-cert=${files}/server.crt`, `--grpc-server-key=${files}/server.key`],
        `--grpc-root-cert=${files}/ca.crt`,
      ],
      until: 'ready',
    })
    const url = `localhost:${server.grpcPort}`
    lines = (await runClient(environment.python, 'grpc_tls_client.py', [url, files])).trim().split('\n')
  }, 600_000)
  afterAll(async () => {
    await server?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true })
  })

  testClientChecks(checks, () => ({ environment, lines }))
})
