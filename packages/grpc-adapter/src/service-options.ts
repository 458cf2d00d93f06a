import type { Logger } from '@triton-ts/core'

/** Settings of the services, whatever carries them. */
export interface ServiceOptions {
  /**
   * Metadata whose name it matches anywhere become string parameters of inference requests. A string is a regular
   * expression without regard to case. Default: none.
   */
  readonly headerForwardPattern?: RegExp | string | undefined
  /** Whether models can be loaded and unloaded over gRPC, where the Server's model control allows it. Default true. */
  readonly repositoryControl?: boolean | undefined
  /** Whether clients may register and unregister shared memory. Default false. */
  readonly sharedMemory?: boolean | undefined
  /** Whether clients can ask for the services and their messages (`grpc.reflection`). Default true. */
  readonly reflection?: boolean | undefined
  /** Hears of failures that are faults of this program. Default: the Server's. */
  readonly logger?: Logger | undefined
}
