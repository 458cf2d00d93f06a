import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TritonError } from '@triton-ts/core'
import type { Interpreter } from './interpreter.ts'

/**
 * The interpreter of a virtual environment or a conda environment, and the variables that activating it would set.
 * @throws TritonError INTERNAL when the directory is no such environment.
 */
export function environmentInterpreter(directory: string): Interpreter {
  const bin = join(directory, 'bin')
  const file = ['python3', 'python'].map((name) => join(bin, name)).find((path) => existsSync(path))
  if (file === undefined) {
    throw new TritonError(
      'INTERNAL',
      `EXECUTION_ENV_PATH: there is no Python environment at ${directory}: it has no bin/python3`,
    )
  }
  const { PYTHONHOME: _, ...inherited } = process.env
  const isVirtual = existsSync(join(directory, 'pyvenv.cfg'))
  const variables = { ...inherited, PATH: list(bin, inherited.PATH) }
  if (isVirtual) return { file, variables: { ...variables, VIRTUAL_ENV: directory } }
  const libraries = list(join(directory, 'lib'), inherited.LD_LIBRARY_PATH)
  return { file, variables: { ...variables, CONDA_PREFIX: directory, LD_LIBRARY_PATH: libraries } }
}

const list = (first: string, rest: string | undefined): string => (rest ? `${first}:${rest}` : first)
