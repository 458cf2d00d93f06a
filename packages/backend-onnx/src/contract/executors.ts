import { type Logger, Server, type ServerOptions } from '@triton-ts/core'
import { modelRepository, type RepositoryFiles } from '@triton-ts/testing'
import { describe } from 'vitest'
import { onnx } from '../index.ts'

export type ExecutorKind = 'native' | 'worker'

const { executor, reasons } = onnx()
const skipsNative = executor !== 'native'
if (skipsNative) console.log(`skipped, the native executor is not there: ${reasons.join('; ')}`)

/** What models do on both executors alike. */
export function contract(tests: (kind: ExecutorKind) => void): void {
  describe('worker executor', () => tests('worker'))
  onlyNative(() => tests('native'))
}

/** What the native executor alone can do. */
export function onlyNative(tests: () => void): void {
  describe.skipIf(skipsNative)('native executor', tests)
}

/** Runs `use` with a Server over a repository of its own. */
export async function withServer(
  kind: ExecutorKind,
  files: RepositoryFiles,
  use: (server: Server) => Promise<void>,
  options: ServerOptions = {},
): Promise<void> {
  await using repository = await modelRepository(files)
  const backends = [onnx({ executor: kind })]
  await using server = await Server.start({ modelRepository: repository.path, backends, ...options })
  await use(server)
}

/** Why the models of a repository do not load; `loaded` when they do. */
export async function failedLoad(kind: ExecutorKind, files: RepositoryFiles, options: ServerOptions = {}) {
  await using repository = await modelRepository(files)
  const backends = [onnx({ executor: kind })]
  await using server = new Server({ modelRepository: repository.path, backends, ...options })
  return await server.start().then(
    () => 'loaded',
    (error: Error) => error.message,
  )
}

/** A logger that keeps its lines, and the texts of one level. */
export function recordingLogger(): { readonly logger: Logger; texts(level: keyof Logger): string[] } {
  const lines: [keyof Logger, string][] = []
  const at = (level: keyof Logger) => (_: object, text: string) => {
    lines.push([level, text])
  }
  return {
    logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    texts: (level) => lines.filter(([each]) => each === level).map(([, text]) => text),
  }
}
