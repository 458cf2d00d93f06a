import type { Fingerprint } from './fingerprint.ts'

/** One place that models come from: a local directory, or a prefix in a bucket. It is never written to. */
export interface RepositorySource {
  /** As the user wrote it. */
  readonly path: string
  /**
   * Names of all models; every sub-directory is one, hidden ones too, as in Triton.
   * @throws TritonError when the place cannot be read.
   */
  models(signal?: AbortSignal): Promise<string[]>
  /**
   * One model as it is now; undefined when the source does not have it.
   * @param model the name of its directory.
   * @throws TritonError when the place cannot be read.
   */
  look(model: string, signal?: AbortSignal): Promise<SourceModel | undefined>
  /**
   * All models as they are now, by the name of their directory. One that goes meanwhile is not among them.
   * @throws TritonError when the place cannot be read.
   */
  lookAll(signal?: AbortSignal): Promise<ReadonlyMap<string, SourceModel>>
  /** Gives back what it holds; called once, when nothing uses it any more. */
  dispose?(): Promise<void>
}

/** A model as its source has it at one moment. */
export interface SourceModel {
  readonly fingerprint: Fingerprint
  /**
   * Brings the model to this machine, in the state of the fingerprint as far as the source can tell.
   * @throws TritonError
   */
  open(signal?: AbortSignal): Promise<ModelDirectory>
}

/** A model's directory on this machine, there until `dispose`. */
export interface ModelDirectory {
  readonly directory: string
  dispose(): Promise<void>
}
