import { modelStatisticsToJson, TritonError } from '@triton-ts/core'
import type { BackendServer } from '@triton-ts/core/backend'
import { nativeError } from '../host/abi-numbers.ts'
import type { NativeError, NativeQuery } from '../host/binding.ts'
import { loadOptions } from './load-options.ts'

/** Triton's numbers: batching along the first dimension, or unknown. */
const batchProperties = { unknown: 1, firstDimension: 2 } as const
const transactionProperties = { oneToOne: 1, decoupled: 2 } as const

/** Answers what a library asks of the Server. @param server undefined when the model that asks is gone. */
export async function answerQuery(
  query: NativeQuery,
  server: BackendServer | undefined,
  answer: (json: string, error: NativeError | undefined) => void,
): Promise<void> {
  let json: string
  try {
    if (server === undefined) throw new TritonError('UNAVAILABLE', 'the model that asks is unloaded')
    const answered = await askWhenThere(query, server)
    // The page of metrics goes as it is.
    json = typeof answered === 'string' ? answered : JSON.stringify(answered ?? null)
  } catch (error) {
    answer('', nativeError(error))
    return
  }
  answer(json, undefined)
}

/** What a model is can be told when it is there. */
function askWhenThere(query: NativeQuery, server: BackendServer): unknown {
  if (!aboutModels.has(query.kind)) return ask(query, server)
  return server.whenThere(query.modelName, {}, () => ask(query, server))
}

const aboutModels: ReadonlySet<NativeQuery['kind']> = new Set([
  'batchProperties',
  'transactionProperties',
  'modelMetadata',
  'modelConfig',
])

function ask(query: NativeQuery, server: BackendServer): unknown {
  const { modelName: name, modelVersion: version, flags } = query
  switch (query.kind) {
    case 'isLive':
      // Whoever asks runs in a Server that lives.
      return true
    case 'isReady':
      return server.isReady()
    case 'modelIsReady':
      return server.isModelReady(name, version)
    case 'batchProperties':
      return server.model(name, version).config.maxBatchSize > 0
        ? batchProperties.firstDimension
        : batchProperties.unknown
    case 'transactionProperties':
      return server.model(name, version).isDecoupled ? transactionProperties.decoupled : transactionProperties.oneToOne
    case 'serverMetadata':
      return server.metadata()
    case 'modelMetadata':
      return server.model(name, version).metadata()
    case 'modelStatistics':
      return { model_stats: server.statistics(name, version).map(modelStatisticsToJson) }
    case 'modelConfig':
      return server.model(name, version).configJson()
    case 'modelIndex':
      return server.index({ ready: (flags & 1) !== 0 })
    case 'metrics':
      return server.metrics()
    case 'load':
      return server.load(name, loadOptions(query.parameters))
    case 'unload':
      return server.unload(name, { unloadDependents: (flags & 1) !== 0 })
  }
}
