import type { ComputeDurations } from '../backend/execution-marks.ts'

/** Counters of the executions of one batch size. Times are milliseconds. */
export class BatchStats {
  count = 0
  computeInput = 0
  computeInfer = 0
  computeOutput = 0

  add({ computeInput, computeInfer, computeOutput }: ComputeDurations): void {
    this.computeInput += computeInput
    this.computeInfer += computeInfer
    this.computeOutput += computeOutput
  }
}
