import { type RegionSlice, type SharedMemory, type Tensor, TritonError } from '@triton-ts/core'

/** Bytes that the inputs of one request may have in regions: as many as a body. */
const maxInputBytes = 2 ** 31 - 1

/** Some bytes of a region, as a request names them. Numbers are as they came; they are checked against the region. */
export interface RegionReference {
  readonly region: string
  /** Bytes from the start of the region. */
  readonly offset: number | bigint
  readonly byteSize: number | bigint
}

/**
 * The shared memory of one request: where its inputs are and where its outputs go. From the first reference on until
 * `release` the regions stay, so whoever has one releases it, whatever happens.
 */
export class RequestRegions {
  readonly #memory: SharedMemory
  readonly #inputs: { readonly slice: RegionSlice; readonly bytes: Uint8Array }[] = []
  readonly #outputs = new Map<string, RegionSlice>()
  #inputBytes = 0

  constructor(memory: SharedMemory) {
    this.#memory = memory
  }

  /**
   * Memory for an input. `read` fills it.
   * @throws TritonError NOT_FOUND or INVALID_ARG for bytes that no region has, UNAVAILABLE where there is no memory.
   */
  input({ region, offset, byteSize }: RegionReference): Uint8Array {
    const slice = this.#memory.use(region, offset, byteSize)
    try {
      this.#inputBytes += slice.byteSize
      const bytes = allocate(slice.byteSize, this.#inputBytes)
      this.#inputs.push({ slice, bytes })
      return bytes
    } catch (error) {
      slice.release()
      throw error
    }
  }

  /**
   * Has `write` put an output there instead of sending it. The first reference for a name counts.
   * @throws TritonError NOT_FOUND or INVALID_ARG for bytes that no region has.
   */
  addOutput(name: string, { region, offset, byteSize }: RegionReference): void {
    const slice = this.#memory.use(region, offset, byteSize)
    if (this.#outputs.has(name)) slice.release()
    else this.#outputs.set(name, slice)
  }

  /** Whether an output goes to a region, so that its data is not sent. */
  hasOutput(name: string): boolean {
    return this.#outputs.has(name)
  }

  /**
   * Fills the inputs: at once where they are small. To be done before the model sees them.
   * @throws TritonError when a region is no longer there.
   */
  read(): void | Promise<void> {
    return all(this.#inputs, ({ slice, bytes }) => slice.read(bytes))
  }

  /**
   * Stores the outputs that have a region: at once where they are small. To be done before the response is sent.
   * @throws TritonError INTERNAL with Triton's text for an output that is too large, then nothing is stored.
   */
  write(outputs: Readonly<Record<string, Tensor>>): void | Promise<void> {
    const stored: { readonly slice: RegionSlice; readonly bytes: Uint8Array }[] = []
    for (const [name, slice] of this.#outputs) {
      const bytes = outputs[name]?.bytes
      if (bytes === undefined) continue
      if (bytes.byteLength > slice.byteSize) throw tooSmall(name, slice.byteSize, bytes.byteLength)
      stored.push({ slice, bytes })
    }
    return all(stored, ({ slice, bytes }) => slice.write(bytes))
  }

  /** Lets go of all regions; later calls do nothing. */
  release(): void {
    for (const { slice } of this.#inputs) slice.release()
    for (const slice of this.#outputs.values()) slice.release()
  }
}

/** Does the same with every item. Waits where one has to be waited for, and then for all, so that nothing runs after it. */
function all<T>(items: readonly T[], work: (item: T) => void | Promise<void>): void | Promise<void> {
  const waits: Promise<void>[] = []
  try {
    for (const item of items) {
      const wait = work(item)
      if (wait !== undefined) waits.push(wait)
    }
  } catch (error) {
    waits.push(Promise.reject(error))
  }
  return waits.length === 0 ? undefined : allSettled(waits)
}

async function allSettled(waits: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(waits)) if (result.status === 'rejected') throw result.reason
}

/** Not zeroed: an input that cannot be filled is never used. */
function allocate(byteSize: number, total: number): Uint8Array {
  if (total > maxInputBytes) {
    const text = `inputs in shared memory have ${total} bytes, which exceeds the maximum allowed value of ${maxInputBytes} bytes`
    throw new TritonError('INVALID_ARG', text)
  }
  try {
    return Buffer.allocUnsafeSlow(byteSize)
  } catch (cause) {
    const text = `no memory for an input of ${byteSize} bytes from shared memory`
    throw new TritonError('UNAVAILABLE', text, { cause })
  }
}

function tooSmall(name: string, byteSize: number, needed: number): TritonError {
  return new TritonError(
    'INTERNAL',
    `shared memory size specified with the request for output '${name}' (${byteSize} bytes) should be at least ${needed} bytes to hold the results`,
  )
}
