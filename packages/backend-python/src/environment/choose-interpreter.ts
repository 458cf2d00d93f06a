import { stat } from 'node:fs/promises'
import { TritonError } from '@triton-ts/core'
import { environmentCache, unpackedEnvironment } from './environment-archive.ts'
import { defaultInterpreter, type Interpreter } from './interpreter.ts'
import { environmentInterpreter } from './python-environment.ts'

/**
 * The interpreter of a model.
 * @param environment `EXECUTION_ENV_PATH`: an archive or a directory.
 * @param executable for models without one.
 */
export async function chooseInterpreter(
  environment: string | undefined,
  executable: string | undefined,
  signal: AbortSignal,
): Promise<Interpreter> {
  if (environment === undefined) return defaultInterpreter(executable)
  const found = await stat(environment).catch((cause: unknown) => {
    // Triton's text.
    throw new TritonError('INTERNAL', `Failed to get the canonical path for ${environment}.`, { cause })
  })
  if (found.isDirectory()) return environmentInterpreter(environment)
  return environmentInterpreter(await unpackedEnvironment(environment, environmentCache(), signal))
}
