import type { Clock } from '@triton-ts/core'
import { type Backend, backgroundClock } from '@triton-ts/core/backend'
import { type IsolationOption, isolationOf } from './isolation.ts'
import { isolationEntry } from './isolation-entry.ts'
import type { BackendSource } from './messages/model-spec.ts'
import { IsolatedModel } from './parent/isolated-model.ts'

export interface IsolatedOptions {
  /** For tests. Default: the system's. */
  readonly clock?: Clock | undefined
}

/** A backend whose models run each in a process of its own, where `source` makes the backend that they are of. */
export function isolated(
  name: string,
  source: BackendSource,
  { clock = backgroundClock }: IsolatedOptions = {},
): Backend {
  return { name, createModel: (context) => IsolatedModel.open(context, { source, entry: isolationEntry, clock }) }
}

/** A backend that runs each model as the model's settings say. `source` makes the same backend elsewhere. */
export function withIsolation(backend: Backend, source: BackendSource, option: IsolationOption | undefined): Backend {
  const elsewhere = isolated(backend.name, source)
  return {
    name: backend.name,
    createModel: async (context) => {
      const where = isolationOf(context, option) === 'process' ? elsewhere : backend
      return where.createModel(context)
    },
  }
}
