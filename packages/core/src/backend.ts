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
export type { BackendServer, NestedRequest, ServedModel, UnloadOptions, Waiting } from './backend/backend-server.ts'
export { batchInputs } from './backend/batch-inputs.ts'
export type { ComputeDurations, ExecutionMarks, ReportedResponse } from './backend/execution-marks.ts'
export {
  type CollectedInput,
  collectInputs,
  type GatherOptions,
  gatherInput,
  gatherInputs,
} from './backend/gather.ts'
export { RemoteRequest } from './backend/remote-request.ts'
export { type RequestFacts, requestFacts } from './backend/request-facts.ts'
export type { RequestTrace } from './backend/request-trace.ts'
export { scatterOutput } from './backend/scatter.ts'
export { type CodeHost, codeHost, type HostFacts } from './code-model/code-host.ts'
export { CodeInstance } from './code-model/code-instance.ts'
export { CodeModel, codeInstanceGroups } from './code-model/code-model.ts'
export { type CodeServer, DirectCodeServer, type NestedCall } from './code-model/code-server.ts'
export { completeCode } from './code-model/complete-code.ts'
export { MetricStore } from './code-model/metric-store.ts'
export { instantiate } from './code-model/model-code.ts'
export { modelError } from './code-model/model-error.ts'
export { type MetricChange, modelMetrics } from './code-model/model-metrics.ts'
export { mergeAutoCompleted } from './config/auto-complete.ts'
export { autoCompletedFromJson } from './config/auto-completed-from-json.ts'
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
export { backgroundClock } from './revival/background-clock.ts'
export { childEnd, emitted } from './revival/child-end.ts'
export { Keeper, type Kept, type Mortal } from './revival/keeper.ts'
export { LastLines } from './revival/last-lines.ts'
export { endError, type ProcessEnd } from './revival/process-end.ts'
export { RestartDelay } from './revival/restart-delay.ts'
export { settlesWithin } from './revival/settles-within.ts'
