/** One place that models come from. The engine reads models from local directories; a source brings them there. */
export interface RepositorySource {
  /** As the user wrote it. */
  readonly path: string
  /**
   * Names of all models; every sub-directory is one, hidden ones too, as in Triton.
   * @throws TritonError when the place cannot be read.
   */
  models(): Promise<string[]>
  /** Absolute path of a model's directory on this machine, or undefined when the source does not have it. */
  directory(model: string): Promise<string | undefined>
}
