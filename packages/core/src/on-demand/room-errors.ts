import { TritonError } from '../errors.ts'
import { memorySizeText } from '../util/memory-size.ts'

/** What a load needs and what there is, in bytes. */
export interface Room {
  readonly size: number
  readonly budget: number
  /** What models have that `Server.load` keeps. */
  readonly pinned: number
  /** What versions have that stay in service while they are loaded anew. */
  readonly old: number
}

/** A load that will never fit. */
export function tooLarge(name: string, { size, budget, pinned, old }: Room): TritonError {
  const taken = pinned > 0 ? `, of which ${memorySizeText(pinned)} are taken by models that 'load' keeps there` : ''
  const anew = old > 0 ? '; unload it first, since it stays in service while it is loaded anew' : ''
  const text = `model '${name}' needs ${memorySizeText(size)}, but the memory budget is ${memorySizeText(budget)}`
  return new TritonError('UNAVAILABLE', text + taken + anew)
}

/** A request of a model that would wait for what it holds itself. @param held the models that wait for the load. */
export const hopeless = (name: string, held: ReadonlySet<string>): TritonError =>
  new TritonError(
    'UNAVAILABLE',
    `request to model '${name}' would wait for ever: it does not fit into the memory budget beside the models that wait ` +
      `for it ('${[...held].join("', '")}')`,
  )
