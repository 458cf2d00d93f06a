import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import type { ModelSignature, TensorInfo } from '../onnx-executor.ts'
import type { SessionSpec } from '../session-spec.ts'
import { openInitializerInputs } from './initializer-inputs.ts'
import type { FeedLayout, OutputPayload, RunRequest } from './messages.ts'
import { WorkerError } from './ort-error.ts'
import { fromOrtType, toOrtType, typedView } from './ort-types.ts'
import { checkProviders, providerFailure } from './provider-support.ts'
import { decodeStrings, encodeStrings } from './string-codec.ts'
import type { TensorValue } from './tensor-proto.ts'

type Ort = typeof import('onnxruntime-node')

/** An ONNX Runtime session. Opening, running and releasing it block this thread. */
export class OrtSession {
  readonly signature: ModelSignature
  readonly #ort: Ort
  readonly #session: InferenceSession
  readonly #defaults: ReadonlyMap<string, Tensor>

  private constructor(ort: Ort, session: InferenceSession, signature: ModelSignature, defaults: Map<string, Tensor>) {
    this.#ort = ort
    this.#session = session
    this.signature = signature
    this.#defaults = defaults
  }

  static async open(spec: SessionSpec): Promise<OrtSession> {
    const ort = await importOrt()
    checkProviders(spec.providers, ort.listSupportedBackends())
    const options = sessionOptions(spec)
    const session = await create(ort, spec.modelPath, options)
    const inputs = session.inputMetadata.map(tensorInfo)
    const outputs = session.outputMetadata.map(tensorInfo)
    const names = new Set(session.inputNames)
    const wanted = new Set(spec.inputs.filter((name) => !names.has(name)))
    if (wanted.size === 0) {
      return new OrtSession(ort, session, { inputs, outputs, initializers: [], initializerNames: [] }, new Map())
    }
    const { model, defaults, initializerNames } = openInitializerInputs(await readFile(spec.modelPath), wanted)
    if (defaults.size === 0) {
      return new OrtSession(ort, session, { inputs, outputs, initializers: [], initializerNames }, new Map())
    }
    await session.release()
    const extra = { ...spec.entries, [externalDataFolder]: dirname(spec.modelPath) }
    const opened = await create(ort, model, { ...options, extra })
    const initializers = opened.inputMetadata.map(tensorInfo).filter(({ name }) => defaults.has(name))
    const values = new Map([...defaults].map(([name, value]) => [name, defaultTensor(ort, value)]))
    return new OrtSession(ort, opened, { inputs, outputs, initializers, initializerNames }, values)
  }

  async run({ buffer, feeds, outputs }: RunRequest): Promise<OutputPayload[]> {
    const tensors: Record<string, Tensor> = Object.fromEntries(this.#defaults)
    let escaped = false
    for (const feed of feeds) {
      if (feed.datatype === 'BYTES') {
        const decoded = decodeStrings(Buffer.from(buffer, feed.offset, feed.byteLength))
        escaped ||= decoded.escaped
        tensors[feed.name] = new this.#ort.Tensor('string', decoded.strings, feed.shape)
      } else tensors[feed.name] = numericTensor(this.#ort, feed, buffer)
    }
    for (const { name } of this.signature.inputs) {
      if (tensors[name] === undefined) throw new Error(`Missing Input: ${name}`)
    }
    const results = await this.#session.run(tensors, outputs)
    return outputs.map((name) => outputPayload(results[name] as Tensor, escaped))
  }

  release(): Promise<void> {
    return this.#session.release()
  }
}

const externalDataFolder = 'session.model_external_initializers_file_folder_path'

/** ONNX Runtime's log levels: only what ends the process. All other errors are in the messages that it throws. */
const fatalOnly = 4

/**
 * onnxruntime-node writes 16-bit floats through `Uint16Array` alone, but reads them through `Float16Array` where the
 * engine has one, and then fails. Without the constructor, in this thread alone, it agrees with itself.
 */
async function importOrt(): Promise<Ort> {
  Reflect.deleteProperty(globalThis, 'Float16Array')
  const ort = (await import('onnxruntime-node')) as Ort & { readonly default?: Ort }
  const api = ort.default ?? ort
  api.env.logLevel = 'fatal'
  return api
}

function sessionOptions(spec: SessionSpec): InferenceSession.SessionOptions {
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

async function create(ort: Ort, model: string | Uint8Array, options: InferenceSession.SessionOptions) {
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

function tensorInfo(metadata: InferenceSession.ValueMetadata): TensorInfo {
  const { name } = metadata
  if (!metadata.isTensor) {
    throw new WorkerError(
      'UNSUPPORTED',
      `Unsupported ONNX Type 'ONNX_TYPE_UNKNOWN' for I/O '${name}', expected 'ONNX_TYPE_TENSOR'.`,
    )
  }
  return {
    name,
    datatype: fromOrtType(metadata.type),
    shape: metadata.shape.map((dim) => (typeof dim === 'number' ? dim : -1)),
  }
}

function numericTensor(ort: Ort, feed: FeedLayout, buffer: ArrayBuffer): Tensor {
  const type = toOrtType(feed.datatype)
  if (type === undefined || feed.datatype === 'BYTES') {
    throw new WorkerError('UNSUPPORTED', `onnxruntime-node does not support ${feed.datatype} tensors`)
  }
  const data = typedView(feed.datatype, buffer, feed.offset, feed.byteLength)
  return new ort.Tensor(type as Tensor.Type, data, feed.shape)
}

function defaultTensor(ort: Ort, { datatype, shape, content }: TensorValue): Tensor {
  if (!(content instanceof Uint8Array)) return new ort.Tensor('string', [...content], shape)
  const copy = Uint8Array.from(content)
  return numericTensor(ort, { name: '', datatype, shape, offset: 0, byteLength: copy.byteLength }, copy.buffer)
}

function outputPayload(tensor: Tensor, escaped: boolean): OutputPayload {
  const datatype = fromOrtType(tensor.type)
  if (datatype === undefined) throw new WorkerError('UNSUPPORTED', `an output has the unsupported type ${tensor.type}`)
  if (datatype === 'BYTES') {
    return { datatype, shape: tensor.dims, bytes: encodeStrings(tensor.data as string[], escaped) }
  }
  const { buffer, byteOffset, byteLength } = tensor.data as Uint8Array
  return { datatype, shape: tensor.dims, bytes: new Uint8Array(buffer, byteOffset, byteLength) }
}
