import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import type { OutputPayload, RunRequest } from '../messages.ts'
import type { ModelSignature } from '../onnx-executor.ts'
import type { SessionSpec } from '../session-spec.ts'
import { createSession, importOrt, type Ort, sessionOptions } from './create-session.ts'
import { openInitializerInputs } from './initializer-inputs.ts'
import { defaultTensor, numericTensor, outputPayload, tensorInfo } from './ort-tensors.ts'
import { checkProviders } from './provider-support.ts'
import { decodeStrings } from './string-codec.ts'

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

  /** @throws Error of ONNX Runtime, or WorkerError for what this backend refuses itself. */
  static async open(spec: SessionSpec): Promise<OrtSession> {
    const ort = await importOrt()
    checkProviders(spec.providers, ort.listSupportedBackends())
    const options = sessionOptions(spec)
    const session = await createSession(ort, spec.modelPath, options)
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
    const opened = await createSession(ort, model, { ...options, extra })
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
