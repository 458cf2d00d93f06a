import type { ModelConfig } from '@triton-ts/core'
import {
  type AutoCompletedConfig,
  autoCompletedFromJson,
  type BackendInstance,
  type BackendModel,
  type ExecutionRequest,
  type InstanceContext,
  type MemoryUsage,
  type ModelContext,
  modelConfigToJson,
  type PreferredInstanceGroup,
} from '@triton-ts/core/backend'
import { kindOf, memoryTypeOf } from '../host/abi-numbers.ts'
import type { ModelHandle, OpenedBackend, OpenedModel } from '../host/binding.ts'
import type { Host } from '../host/host.ts'
import { NameTable } from '../host/name-table.ts'
import type { BackendLibrary } from '../library/backend-library.ts'
import { batchStrategy } from '../library/batch-strategy.ts'
import { type BackendLease, BackendPool } from './backend-pool.ts'
import { BatchInclusion } from './batch-inclusion.ts'
import { NativeInstance } from './native-instance.ts'

/** A model version that a library has open. */
export class NativeModel implements BackendModel {
  readonly autoCompleted: AutoCompletedConfig | undefined
  readonly preferredInstanceGroups: readonly PreferredInstanceGroup[]
  readonly parallelInstanceLoading: boolean
  readonly servesBatchStrategy = true
  readonly includeRequest?: (batch: readonly ExecutionRequest[], request: ExecutionRequest) => boolean
  readonly #host: Host
  readonly #id: number
  readonly #lease: BackendLease
  readonly #handle: ModelHandle
  readonly #inline: boolean
  #names: NameTable | undefined

  private constructor(
    host: Host,
    id: number,
    lease: BackendLease,
    handle: ModelHandle,
    opened: OpenedModel,
    inline: boolean,
  ) {
    this.#host = host
    this.#inline = inline
    this.#id = id
    this.#lease = lease
    this.#handle = handle
    this.autoCompleted = opened.config === undefined ? undefined : autoCompletedFromJson(opened.config)
    this.preferredInstanceGroups = preferredGroups(lease.opened)
    this.parallelInstanceLoading = lease.opened.parallelInstanceLoading
    if (!opened.hasBatcher) return
    const inclusion = new BatchInclusion(host, handle)
    this.includeRequest = (batch, request) => inclusion.includes(batch, request, this.#names ?? new NameTable([]))
  }

  static async open(host: Host, library: BackendLibrary, context: ModelContext): Promise<NativeModel> {
    const { name, version, directory, config, autoComplete, server } = context
    const strategy = await batchStrategy(context, library)
    const lease = await BackendPool.of(host, context).lease(library, context)
    const id = host.nextId()
    host.addServer(id, server)
    const spec = {
      id,
      name,
      version,
      directory,
      config: JSON.stringify(modelConfigToJson(config)),
      autoComplete,
      batchStrategy: strategy,
    }
    try {
      const { handle, result } = await host.operate<OpenedModel, ModelHandle>((operation) =>
        host.binding.openModel(lease.handle, operation, spec),
      )
      return await NativeModel.#make(host, id, lease, handle, result, library.inline ?? false)
    } catch (error) {
      host.removeServer(id)
      await lease.release()
      throw error
    }
  }

  /** A model that cannot be used is closed. */
  static async #make(
    host: Host,
    id: number,
    lease: BackendLease,
    handle: ModelHandle,
    opened: OpenedModel,
    inline: boolean,
  ): Promise<NativeModel> {
    try {
      return new NativeModel(host, id, lease, handle, opened, inline)
    } catch (error) {
      await host.operate((operation) => host.binding.closeModel(handle, operation))
      throw error
    }
  }

  async createInstance(slot: InstanceContext): Promise<BackendInstance> {
    this.#names ??= this.#setConfig(slot.config)
    return NativeInstance.open(this.#host, this.#handle, slot, this.#names, this.#inline)
  }

  memoryUsage(): readonly MemoryUsage[] {
    const uses = this.#host.binding.memoryUsage(this.#handle)
    return uses.map(({ type, id, byteSize }) => ({ type: memoryTypeOf(type), id, byteSize }))
  }

  async dispose(): Promise<void> {
    try {
      await this.#host.operate((operation) => this.#host.binding.closeModel(this.#handle, operation))
    } finally {
      this.#host.removeServer(this.#id)
      await this.#lease.release()
    }
  }

  /** All instances get the same configuration, which is final with the first of them. */
  #setConfig(config: ModelConfig): NameTable {
    const table = NameTable.ofConfig(config)
    this.#host.binding.setModelConfig(this.#handle, JSON.stringify(modelConfigToJson(config)), table.names)
    return table
  }
}

const preferredGroups = ({ preferredGroups }: OpenedBackend): PreferredInstanceGroup[] =>
  preferredGroups.map(({ kind, count, devices }) => ({ kind: kindOf(kind), count, gpus: devices }))
