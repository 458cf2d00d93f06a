import type { ReportedResponse } from '@triton-ts/core/backend'
import type { RecordReader } from './record-reader.ts'

/** By number in a RESPONSE_STATISTICS record. */
const outcomes: readonly ReportedResponse['outcome'][] = ['success', 'empty', 'fail', 'cancel']

/** Points in time in nanoseconds; the second one is 0 for a response without outputs. */
export function readReportedResponse(reader: RecordReader): ReportedResponse {
  const start = reader.number()
  const outputStart = reader.number()
  const end = reader.number()
  const outcome = outcomes[reader.number()] ?? 'fail'
  if (outputStart === 0) return { outcome, computeInfer: milliseconds(end - start) }
  return {
    outcome,
    computeInfer: milliseconds(outputStart - start),
    computeOutput: milliseconds(end - outputStart),
  }
}

const milliseconds = (nanoseconds: number): number => Math.max(0, nanoseconds) / 1e6
