import { type ModelConfig, TritonError } from '@triton-ts/core'
import type {
  AutoCompletedConfig,
  BackendInstance,
  BackendModel,
  InstanceContext,
  ModelContext,
} from '@triton-ts/core/backend'
import { autoComplete } from './auto-complete.ts'
import { checkConfig } from './check-config.ts'
import type { Device } from './device.ts'
import { modelFile } from './model-file.ts'
import type { OnnxExecutor, OpenExecutor } from './onnx-executor.ts'
import { OnnxInstance } from './onnx-instance.ts'
import { sessionSpec } from './session-spec.ts'
import { threadsPerInstance } from './threads-per-instance.ts'
import { unsupportedSettings } from './unsupported-settings.ts'

/** A model version. The session that was opened to read the model becomes the first instance on the same device. */
export class OnnxModel implements BackendModel {
  readonly autoCompleted: AutoCompletedConfig | undefined
  readonly #open: (device: Device, signal: AbortSignal) => Promise<OnnxExecutor>
  readonly #firstDevice: Device
  #first: OnnxExecutor | undefined

  private constructor(
    open: (device: Device, signal: AbortSignal) => Promise<OnnxExecutor>,
    firstDevice: Device,
    first: OnnxExecutor,
    autoCompleted: AutoCompletedConfig | undefined,
  ) {
    this.#open = open
    this.#firstDevice = firstDevice
    this.#first = first
    this.autoCompleted = autoCompleted
  }

  /** @param cpus that all instances of the model together may use. */
  static async load(model: ModelContext, openExecutor: OpenExecutor, cpus: number): Promise<OnnxModel> {
    const { config, logger, signal } = model
    rejectUnsupported(config)
    for (const text of unsupportedSettings(config, model.backendConfig)) logger.warn({ model: model.name }, text)
    const path = await modelFile(model)
    const threads = threadsPerInstance(cpus, config.instanceGroup)
    const open = (device: Device, signal: AbortSignal) =>
      openExecutor(sessionSpec(config, path, threads, device), signal)
    const device = firstDevice(config)
    const first = await open(device, signal)
    try {
      const completed = model.autoComplete ? autoComplete(model, first.signature) : undefined
      return new OnnxModel(open, device, first, completed)
    } catch (error) {
      await first.dispose()
      throw error
    }
  }

  async createInstance(slot: InstanceContext): Promise<BackendInstance> {
    const executor = this.#takeFirst(slot) ?? (await this.#open(slot, slot.signal))
    try {
      checkConfig(slot.config, executor.signature)
    } catch (error) {
      await executor.dispose()
      throw error
    }
    return new OnnxInstance(slot.config, executor, () => this.#open(slot, new AbortController().signal))
  }

  async dispose(): Promise<void> {
    const first = this.#first
    this.#first = undefined
    await first?.dispose()
  }

  #takeFirst({ kind, deviceId }: Device): OnnxExecutor | undefined {
    if (kind !== this.#firstDevice.kind || deviceId !== this.#firstDevice.deviceId) return undefined
    const first = this.#first
    this.#first = undefined
    return first
  }
}

function firstDevice({ instanceGroup }: ModelConfig): Device {
  const [group] = instanceGroup
  if (group?.kind === 'KIND_GPU') return { kind: 'KIND_GPU', deviceId: group.gpus[0] ?? 0 }
  return { kind: group?.kind === 'KIND_MODEL' ? 'KIND_MODEL' : 'KIND_CPU', deviceId: 0 }
}

function rejectUnsupported({ name, modelOperations }: ModelConfig): void {
  const libraries = modelOperations?.opLibraryFilename ?? []
  if (libraries.length > 0) {
    throw new TritonError(
      'UNSUPPORTED',
      `model '${name}' needs the custom operators of ${libraries.join(', ')}, which onnxruntime-node cannot register; the native executor can`,
    )
  }
}
