import type { Tensor } from '../request/tensor.ts'

/** A request of the engine itself, as a backend sees it: nobody gave it an id, a sequence, a priority or parameters. */
export abstract class CallerlessRequest {
  readonly id = ''
  readonly correlationId = 0n
  readonly sequenceStart = false
  readonly sequenceEnd = false
  readonly priority = 0
  readonly timeoutMicroseconds = 0
  readonly parameters = {}
  readonly inputs: ReadonlyMap<string, Tensor>
  readonly batchSize: number
  readonly startTime: number

  constructor(inputs: ReadonlyMap<string, Tensor>, batchSize: number, startTime: number) {
    this.inputs = inputs
    this.batchSize = batchSize
    this.startTime = startTime
  }

  computed(): void {}

  room(): undefined {
    return undefined
  }
}
