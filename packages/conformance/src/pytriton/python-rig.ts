import { fileURLToPath } from 'node:url'
import { native, nativeDirectory } from '@triton-ts/backend-native'
import { python } from '@triton-ts/backend-python'
import { type Logger, Server, type ServerOptions } from '@triton-ts/core'
import type { BackendFinder } from '@triton-ts/core/backend'
import { echoBackend } from '@triton-ts/testing'
import { beforeAll, type TestAPI, test } from 'vitest'
import { numpyPython } from '../../../backend-python/src/fixtures/numpy-python.ts'
import { type Pytriton, preparePytriton } from './pytriton.ts'

const prepareTimeoutMs = 600_000

/** The Python models of these tests, and one of a TypeScript backend. */
export const models = fileURLToPath(new URL('./models', import.meta.url))

export interface PythonFixtures {
  readonly pytriton: Pytriton
}

/**
 * Makes the `test` of a file whose tests need NVIDIA's wheel and our native host; they are skipped, with the reason,
 * where one is missing.
 */
export function pythonTest(): TestAPI<PythonFixtures> {
  let prepared: Awaited<ReturnType<typeof preparePytriton>>
  beforeAll(async () => {
    const host = nativeDirectory()
    prepared = 'reasons' in host ? { missing: host.reasons.join('; ') } : await preparePytriton()
    if ('missing' in prepared) console.warn(`skipped: ${prepared.missing}`)
  }, prepareTimeoutMs)
  return test.extend<PythonFixtures>({
    pytriton: async ({ skip }, use) => {
      if ('missing' in prepared) return skip(prepared.missing)
      await use(prepared)
    },
  })
}

/** A backend that runs Python models. */
export interface PythonBackend {
  readonly isOurs: boolean
  readonly finder: BackendFinder
}

/** What one suite is for: the Python backend of NVIDIA in our engine, and ours. */
export const pythonBackends: readonly {
  readonly name: string
  readonly test: TestAPI<{ readonly backend: PythonBackend }>
}[] = [
  {
    name: "NVIDIA's Python backend",
    test: backendTest(async () => {
      const host = nativeDirectory()
      const prepared = 'reasons' in host ? { missing: host.reasons.join('; ') } : await preparePytriton()
      if ('missing' in prepared) return prepared
      return { isOurs: false, finder: native({ directory: prepared.backends }) }
    }),
  },
  {
    name: 'our Python backend',
    test: backendTest(async () => {
      const prepared = await numpyPython()
      if ('missing' in prepared) return prepared
      return { isOurs: true, finder: python({ executable: prepared.python }) }
    }),
  },
]

/** Skipped, with the reason, where the backend is missing. */
function backendTest(
  prepare: () => Promise<PythonBackend | { readonly missing: string }>,
): TestAPI<{ readonly backend: PythonBackend }> {
  let prepared: ReturnType<typeof prepare> | undefined
  return test.extend<{ readonly backend: PythonBackend }>({
    backend: async ({ skip }, use) => {
      prepared ??= prepare()
      const backend = await prepared
      if ('missing' in backend) return skip(backend.missing)
      await use(backend)
    },
  })
}

export interface LogLine {
  readonly level: keyof Logger
  readonly text: string
}

/** A Server of ours, with a Python backend, over some of the models. */
export class PythonRig implements AsyncDisposable {
  readonly server: Server
  readonly log: readonly LogLine[]

  private constructor(server: Server, log: readonly LogLine[]) {
    this.server = server
    this.log = log
  }

  static async start(
    { finder }: PythonBackend,
    loadModels: readonly string[],
    options: ServerOptions = {},
  ): Promise<PythonRig> {
    const log: LogLine[] = []
    const server = await Server.start({
      modelRepository: models,
      modelControl: 'explicit',
      loadModels,
      backends: [echoBackend(), finder],
      logger: recorder(log),
      // It costs one more process for each model.
      disableAutoComplete: true,
      ...options,
    })
    return new PythonRig(server, log)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop()
  }
}

function recorder(log: LogLine[]): Logger {
  const at = (level: keyof Logger) => (_: object, text: string) => {
    log.push({ level, text })
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
