import type { Engine } from './engine.ts'
import { errorDetail, TritonError } from './errors.ts'
import { checkModelName } from './repository/model-name.ts'
import type { ListedModel } from './repository/model-repository.ts'
import type { ResolvedServerOptions } from './resolve-options.ts'
import { expectModels } from './traffic/traffic-splits.ts'

/**
 * Loads the models that should be there from the start.
 * @throws TritonError INTERNAL `failed to load all models` with one line for each, and INVALID_ARG for a traffic split of
 * a model that is nowhere, unless `exitOnError` is false; CANCELLED after an abort.
 */
export async function loadStartupModels(
  engine: Engine,
  options: ResolvedServerOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const givenUp = (): TritonError => new TritonError('CANCELLED', 'the start was given up', { cause: signal?.reason })
  // Also where few are wanted: a repository that cannot be read is told at the start.
  const all = await engine.repository.list(signal).catch((error: unknown) => {
    throw signal?.aborted ? givenUp() : error
  })
  checkSplits(engine, options, all)
  const ids = await startupModels(engine, options, all)
  const failures = await (engine.onDemand ?? engine.manager).loadEach(ids, { signal })
  if (signal?.aborted) throw givenUp()
  if (failures.size === 0 || !options.exitOnError) return
  const lines = [...failures].map(([name, error]) => `'${name}': ${errorDetail(error)}`)
  throw new TritonError('INTERNAL', ['failed to load all models', ...lines].join('\n'), {
    cause: failures.size === 1 ? [...failures.values()][0] : new AggregateError(failures.values()),
  })
}

/** The ids of the models to load. */
async function startupModels(
  { repository }: Engine,
  { modelControl, loadModels }: ResolvedServerOptions,
  all: readonly ListedModel[],
): Promise<string[]> {
  const isAll = modelControl === 'none' || modelControl === 'poll' || loadModels[0] === '*'
  if (isAll) return all.map(({ id }) => id)
  for (const name of loadModels) checkModelName(repository.nameOf(name))
  return (await Promise.all(loadModels.map((name) => repository.idsOf(name)))).flat()
}

function checkSplits(
  { splits }: Engine,
  { exitOnError, logger }: ResolvedServerOptions,
  all: readonly ListedModel[],
): void {
  try {
    expectModels(splits.names, all)
  } catch (error) {
    if (exitOnError) throw error
    logger.warn({}, TritonError.from(error).message)
  }
}
