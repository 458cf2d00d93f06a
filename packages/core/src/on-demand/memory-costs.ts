import { TritonError } from '../errors.ts'
import type { ModelVersion } from '../lifecycle/model-version.ts'
import type { NeededModel } from './model-survey.ts'

/** A model version of which the Server wants to know the memory. */
export interface MeasuredModel {
  readonly name: string
  readonly version: number
  /** Bytes of the files in its version directory. */
  readonly fileBytes: number
}

/** How much memory a version takes, in bytes. */
export type MemoryOf = (model: MeasuredModel) => number

/** A needed model, and what was thought to be its size before the load, in bytes. */
export interface EstimatedModel extends NeededModel {
  readonly bytes: number
}

/** What models take of the budget: what they are said to, else what their backend reports, else the size of their files. */
export class MemoryCosts {
  readonly #memoryOf: MemoryOf | undefined
  /** What backends reported when models were last there. */
  readonly #reported = new Map<string, { readonly fileBytes: number; readonly bytes: number }>()

  constructor(memoryOf: MemoryOf | undefined) {
    this.#memoryOf = memoryOf
  }

  /**
   * What a model will take.
   * @throws TritonError INVALID_ARG for what `memoryOf` says, where that is no size, or what it throws.
   */
  estimate(model: NeededModel): number {
    const memoryOf = this.#memoryOf
    if (memoryOf !== undefined) {
      return sum(model.versions.map((version) => expectSize(model.name, memoryOf({ name: model.name, ...version }))))
    }
    const fileBytes = sizeOfFiles(model)
    const reported = this.#reported.get(model.name)
    return reported?.fileBytes === fileBytes ? reported.bytes : fileBytes
  }

  /** What a model takes that is there. */
  measure(model: EstimatedModel, versions: readonly ModelVersion[]): number {
    if (this.#memoryOf !== undefined) return model.bytes
    const bytes = sum(versions.flatMap((version) => version.statistics().memoryUsage.map(({ byteSize }) => byteSize)))
    const fileBytes = sizeOfFiles(model)
    if (bytes === 0) return fileBytes
    this.#reported.set(model.name, { fileBytes, bytes })
    return bytes
  }
}

function expectSize(name: string, bytes: number): number {
  if (Number.isFinite(bytes) && bytes >= 0) return bytes
  throw new TritonError('INVALID_ARG', `memoryOf must return a number of bytes for model '${name}', got ${bytes}`)
}

const sizeOfFiles = ({ versions }: NeededModel): number => sum(versions.map(({ fileBytes }) => fileBytes))

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
