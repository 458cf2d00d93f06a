import type { InferenceTrace, InferRequest, ParameterValue, RequestInput, SharedMemory } from '@triton-ts/core'
import { RequestRegions } from './request-regions.ts'

/** An inference request while a front end reads it off the wire. */
export class RequestMessage implements InferRequest {
  id = ''
  inputs: RequestInput[] = []
  outputs: string[] | undefined
  correlationId: number | bigint | string | undefined
  sequenceStart: boolean | undefined
  sequenceEnd: boolean | undefined
  priority: number | undefined
  timeoutMicroseconds: number | undefined
  parameters: Record<string, ParameterValue> | undefined
  signal: AbortSignal | undefined
  /** What `server.startTrace` said; null where it said that there is none. */
  trace: InferenceTrace | null = null
  /** The shared memory of inputs and outputs. Who made the message releases it. */
  regions: RequestRegions | undefined

  /** For a first or further tensor in shared memory. */
  useRegions(memory: SharedMemory): RequestRegions {
    this.regions ??= new RequestRegions(memory)
    return this.regions
  }

  setParameter(name: string, value: ParameterValue): void {
    // Names come from the client, so the object has no prototype that they could reach.
    this.parameters ??= Object.create(null) as Record<string, ParameterValue>
    this.parameters[name] = value
  }
}
