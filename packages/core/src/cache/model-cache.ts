import { randomUUID } from 'node:crypto'
import type { ModelConfig } from '../config/model-config.ts'
import { type DataType, fromConfigType } from '../request/data-type.ts'
import type { InferenceRequest } from '../request/inference-request.ts'
import type { Outputs } from '../response/inference-response.ts'
import { decodeEntry, encodeEntry } from './cache-entry.ts'
import type { CacheGuard } from './cache-guard.ts'
import { type CacheKeyOf, cacheKeys } from './cache-key.ts'
import type { LookupOptions, MaybePromise } from './response-cache.ts'

/** The Server's cache as one loaded model version uses it. */
export class ModelCache {
  readonly #guard: CacheGuard
  readonly #outputs: ReadonlyMap<string, DataType | undefined>
  readonly #keyOf: CacheKeyOf

  constructor(guard: CacheGuard, { name, input, output }: ModelConfig, version: number) {
    this.#guard = guard
    this.#outputs = new Map(output.map(({ name, dataType }) => [name, fromConfigType(dataType)]))
    const identity = [name, String(version), guard.isShared ? '' : randomUUID()]
    this.#keyOf = cacheKeys(
      identity,
      input.map(({ name }) => name),
    )
  }

  /** Milliseconds that a request waits for a lookup. */
  get lookupTimeout(): number {
    return this.#guard.lookupTimeout
  }

  keyOf(request: InferenceRequest): string {
    return this.#keyOf(request.inputs)
  }

  /** Whether the request still has the inputs of its key, which the caller may have changed. */
  isKeyOf(key: string, request: InferenceRequest): boolean {
    try {
      return this.keyOf(request) === key
    } catch {
      return false
    }
  }

  lookup(key: string, options: LookupOptions): MaybePromise<Uint8Array | undefined> {
    return this.#guard.lookup(key, options)
  }

  /** The outputs of an entry; undefined when they are not this model's. */
  decode(key: string, entry: Uint8Array): Outputs | undefined {
    try {
      const outputs = decodeEntry(entry)
      for (const name in outputs) {
        if (this.#outputs.get(name) !== outputs[name]?.datatype)
          throw new Error(`the model has no such output '${name}'`)
      }
      return outputs
    } catch (error) {
      this.complain(`Failed to read key [${key}] of response cache`, error)
      return undefined
    }
  }

  /** False when the key was there already. */
  insert(key: string, outputs: Outputs, replace: boolean): MaybePromise<boolean> {
    try {
      return this.#guard.insert(key, encodeEntry(outputs), { replace })
    } catch (error) {
      this.complain(`Failed to insert key [${key}] into response cache`, error)
      return true
    }
  }

  complain(text: string, error: unknown): void {
    this.#guard.complain(text, error)
  }
}
