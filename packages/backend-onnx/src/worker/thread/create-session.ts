import type { InferenceSession } from 'onnxruntime-node'
import type { SessionSpec } from '../session-spec.ts'
import { WorkerError } from './ort-error.ts'
import { providerFailure } from './provider-support.ts'

export type Ort = typeof import('onnxruntime-node')

/** ONNX Runtime's log levels: only what ends the process. All other errors are in the messages that it throws. */
const fatalOnly = 4

/**
 * onnxruntime-node writes 16-bit floats through `Uint16Array` alone, but reads them through `Float16Array` where the
 * engine has one, and then fails. Without the constructor, in this thread alone, it agrees with itself.
 */
export async function importOrt(): Promise<Ort> {
  Reflect.deleteProperty(globalThis, 'Float16Array')
  const ort = (await import('onnxruntime-node')) as Ort & { readonly default?: Ort }
  const api = ort.default ?? ort
  api.env.logLevel = 'fatal'
  return api
}

export function sessionOptions(spec: SessionSpec): InferenceSession.SessionOptions {
  return {
    executionProviders: [...spec.providers, 'cpu'],
    graphOptimizationLevel: spec.graphOptimizationLevel,
    executionMode: spec.executionMode,
    intraOpNumThreads: spec.intraOpThreads,
    interOpNumThreads: spec.interOpThreads,
    ...(spec.memoryArena !== undefined && { enableCpuMemArena: spec.memoryArena }),
    ...(spec.memoryPattern !== undefined && { enableMemPattern: spec.memoryPattern }),
    extra: spec.entries,
    logSeverityLevel: fatalOnly,
  }
}

export async function createSession(ort: Ort, model: string | Uint8Array, options: InferenceSession.SessionOptions) {
  try {
    return await (typeof model === 'string'
      ? ort.InferenceSession.create(model, options)
      : ort.InferenceSession.create(model, options))
  } catch (error) {
    const text = error instanceof Error ? error.message : ''
    const type = /^Unsupported data type: (\d+)$/.exec(text)?.[1]
    if (type !== undefined) {
      const name = type === '16' ? 'BF16' : `ONNX element type ${type}`
      throw new WorkerError('UNSUPPORTED', `onnxruntime-node does not support ${name} inputs and outputs`)
    }
    throw providerFailure(text) ?? error
  }
}
