/** For authors of backends. */
export { answerBatch } from './backend/answer-batch.ts'
export type {
  AutoCompletedConfig,
  Backend,
  BackendInstance,
  BackendModel,
  ExecutionRequest,
  HostPolicy,
  InstanceContext,
  ModelContext,
  PreferredInstanceGroup,
  ResponseContent,
} from './backend/backend.ts'
export type { BackendFinder, SoughtModel } from './backend/backend-finder.ts'
export type { BackendServer, NestedRequest, ServedModel, UnloadOptions } from './backend/backend-server.ts'
export { batchInputs } from './backend/batch-inputs.ts'
export type { ComputeDurations, ExecutionMarks, ReportedResponse } from './backend/execution-marks.ts'
export {
  type CollectedInput,
  collectInputs,
  type GatherOptions,
  gatherInput,
  gatherInputs,
} from './backend/gather.ts'
export type { RequestTrace } from './backend/request-trace.ts'
export { scatterOutput } from './backend/scatter.ts'
export { mergeAutoCompleted } from './config/auto-complete.ts'
export { modelConfigFromJson } from './config/json.ts'
export type { ConfigDataType, ModelInput, ModelOutput, SequenceControl } from './config/model-config.ts'
export { modelConfigToJson } from './config/to-json.ts'
export type {
  HistogramSample,
  MetricCollector,
  MetricFamilySnapshot,
  MetricSample,
  ValueSample,
} from './metrics/metric-family.ts'
export type { MemoryUsage } from './metrics/model-statistics.ts'
export { fromConfigType, toConfigType } from './request/data-type.ts'
