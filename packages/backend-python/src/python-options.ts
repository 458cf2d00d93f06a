import type { Clock } from '@triton-ts/core'

export interface PythonOptions {
  /**
   * The interpreter of models that bring no environment of their own: a path, or a name to look for on the `PATH`. It
   * needs numpy. Default: the environment variable `TRITON_TS_PYTHON`, else `python3`.
   */
  readonly executable?: string | undefined
  /**
   * Triton's `--backend-directory`: `<name>/model.py` in it is the Python-based backend `<name>`. Default
   * `/opt/tritonserver/backends`.
   */
  readonly directory?: string | undefined
  /**
   * Whether `log_verbose` of models reaches the Server's logger, as `debug`, which lets it through when its verbose level
   * is 1 or more. Default false.
   */
  readonly verbose?: boolean | undefined
}

/** What tests replace. */
export interface PythonInternals {
  /** Default: the system's. */
  readonly clock?: Clock | undefined
  /** Where shared memory is. Default `/dev/shm`. */
  readonly sharedMemory?: string | undefined
  /** Bytes of shared memory that a process may be sent. Default: as many as there are. */
  readonly sharedMemoryLimit?: number | undefined
}
