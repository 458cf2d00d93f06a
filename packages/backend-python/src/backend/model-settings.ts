import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { TritonError } from '@triton-ts/core'
import type { ModelContext } from '@triton-ts/core/backend'
import type { RegionSizes } from '../memory/write-region.ts'

/** What a model's configuration and the settings of the backend say of its processes. */
export interface ModelSettings {
  /** The Python file, absolute. */
  readonly file: string
  /** `EXECUTION_ENV_PATH`, absolute: a conda-pack archive, a conda environment or a virtual environment. */
  readonly environment: string | undefined
  /** `EXECUTE_TIMEOUT_SECONDS`: how long an execution may take before its process is ended. Undefined: for ever. */
  readonly executeTimeout: number | undefined
  /** How long `finalize` may take. */
  readonly finalizeTimeout: number
  readonly sizes: RegionSizes
}

const mebibyte = 1 << 20
const defaultStubTimeout = 30

/**
 * @param file of the backend, when it is a Python-based one.
 * @throws TritonError INVALID_ARG or UNSUPPORTED for a setting that makes no sense.
 */
export function modelSettings(
  context: ModelContext,
  file: string | undefined,
  limit: number | undefined,
): ModelSettings {
  const { directory, versionDirectory, config, backendConfig } = context
  const parameter = (name: string): string | undefined => config.parameters[name]?.stringValue
  const setting = (name: string, fallback: number): number =>
    positive(backendConfig[name], fallback, `the backend setting '${name}'`)
  checkForceCpu(parameter('FORCE_CPU_ONLY_INPUT_TENSORS'))
  const timeout = parameter('EXECUTE_TIMEOUT_SECONDS')
  return {
    file: file ?? join(versionDirectory, config.defaultModelFilename || 'model.py'),
    environment:
      parameter('EXECUTION_ENV_PATH')?.replaceAll('$$TRITON_MODEL_DIRECTORY', () => directory) ||
      (file && environmentBeside(file)),
    executeTimeout: timeout === undefined ? undefined : positive(timeout, 0, "parameter 'EXECUTE_TIMEOUT_SECONDS'"),
    finalizeTimeout: setting('stub-timeout-seconds', defaultStubTimeout),
    sizes: {
      initial: setting('shm-default-byte-size', mebibyte),
      growth: setting('shm-growth-byte-size', mebibyte),
      limit,
    },
  }
}

/** As Triton names the environment of a Python-based backend. */
function environmentBeside(file: string): string | undefined {
  const archive = join(dirname(file), `pb_exec_env_${basename(file)}.tar.gz`)
  return existsSync(archive) ? archive : undefined
}

function positive(text: string | undefined, fallback: number, what: string): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  throw new TritonError('INVALID_ARG', `${what} must be a positive number, not '${text}'`)
}

/** Input tensors are in the memory of the CPU in any case; the value is checked as Triton does. */
function checkForceCpu(value: string | undefined): void {
  if (value === undefined || value === 'yes' || value === 'no') return
  const text = `Incorrect value for FORCE_CPU_ONLY_INPUT_TENSORS: ${value}'`
  throw new TritonError('UNSUPPORTED', text)
}
