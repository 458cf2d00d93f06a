import { readFileSync } from 'node:fs'
import { goldenPath, type Phase } from '../corpus.ts'

/** A recorded call. */
export interface GrpcCase {
  id: string
  area: string
  phase: string
  compare: 'exact' | 'json' | 'prefix' | 'status' | 'none'
  /** Name of a method of `inference.GRPCInferenceService`, or a whole path. */
  method: string
  metadata?: Record<string, string>
  /** The message as JSON, as far as it names a model. */
  request?: { model_name?: string; name?: string }
  requests?: { model_name?: string }[]
  request_b64?: string
  /** Of a stream. */
  requests_b64?: string[]
  /** Of a stream: whether the next request is sent when a response has come, or all are sent at once. */
  stream_mode?: 'sequential' | 'all'
  status: { code: string; message: string }
  response_b64?: string
  responses_b64?: string[]
  note?: string
  /** How long the recording waited before this case for Triton, which answers before it has unloaded. */
  delay_ms?: number
  shm_setup?: { key: string; b64: string }[]
}

export interface GrpcCorpus {
  phases: Record<string, Phase>
  cases: GrpcCase[]
}

export function readGrpcCorpus(): GrpcCorpus {
  return JSON.parse(readFileSync(goldenPath('grpc_cases.json'), 'utf8'))
}
