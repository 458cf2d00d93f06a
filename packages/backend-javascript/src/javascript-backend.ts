import type { BackendFinder, Clock } from '@triton-ts/core'
import { type Backend, backgroundClock, CodeModel } from '@triton-ts/core/backend'
import { readExecution } from './execution.ts'
import { importCode } from './import-code.ts'
import { modelFile } from './model-file.ts'
import { WorkerModel } from './worker/parent/worker-model.ts'

const names = ['javascript', 'typescript']

/** Options for tests. */
export interface JavascriptOptions {
  /** Of restarts and time limits. Default: the system's. */
  readonly clock?: Clock | undefined
}

/**
 * Runs models whose version directory has a `model.ts`, `model.mts`, `model.mjs`, `model.js` or `model.cjs`, for
 * configurations with `backend: "javascript"` or `"typescript"`: `backends: [javascript()]`.
 */
export function javascript({ clock = backgroundClock }: JavascriptOptions = {}): BackendFinder {
  const backend = (name: string): Backend => ({
    name,
    async createModel(context) {
      const execution = readExecution(context)
      const { name: model, directory } = context
      const place = { model, directory, file: await modelFile(context) }
      if (execution.place === 'inline') return CodeModel.open(await importCode(place), context)
      return WorkerModel.open(place, context, { ...execution, clock })
    },
  })
  return { find: async (name) => (names.includes(name) ? backend(name) : undefined) }
}
