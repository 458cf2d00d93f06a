/** A shared library that implements Triton's backend interface. */
export interface BackendLibrary {
  /** The backend's name, as configurations have it. */
  readonly name: string
  /** Absolute path of `libtriton_<name>.so`. */
  readonly path: string
  /** Absolute path of the directory where it was found, which the library takes for its own. */
  readonly directory: string
  /** Absolute path of the directory of all backends, `/opt/tritonserver/backends` for instance. */
  readonly backendDirectory: string
  /**
   * Whether it may run in the calling thread while its runs are short, see `InlinePolicy`. Only for a library that does
   * not mind which thread calls it. Default false.
   */
  readonly inline?: boolean | undefined
  /** Whether its verbose messages reach the logger, as `debug`. Default false. */
  readonly verbose?: boolean | undefined
}
