import { resolve } from 'node:path'
import type { BackendFinder } from '@triton-ts/core/backend'
import { findModelFile } from './backend/find-model-file.ts'
import { PythonBackend } from './backend/python-backend.ts'
import type { PythonInternals, PythonOptions } from './python-options.ts'

/**
 * Triton's Python backend: the `TritonPythonModel` of a model's `model.py`, each instance in a process of its own; and
 * backends that are written in Python themselves, `vllm` for instance. Nothing of Python is needed, or looked for, before
 * a model needs it.
 *
 * ```ts
 * await using server = await Server.start({ modelRepository: './models', backends: [python()] })
 * ```
 */
export function python(options: PythonOptions = {}, internals: PythonInternals = {}): BackendFinder {
  const directory = resolve(options.directory ?? '/opt/tritonserver/backends')
  return {
    find: async (name) => {
      if (name === 'python') return new PythonBackend(name, undefined, options, internals)
      const file = await findModelFile(name, directory)
      return file === undefined ? undefined : new PythonBackend(name, file, options, internals)
    },
  }
}
