// For applications.

export { checksum } from './agent/checksum-agent.ts'
export type { AgentAction, AgentModel, RepositoryAgent } from './agent/repository-agent.ts'
export type { Backend } from './backend/backend.ts'
export type { BackendFinder, SoughtModel } from './backend/backend-finder.ts'
export type { UnloadOptions } from './backend/backend-server.ts'
// For adapters, backends and tools.
export { type LocalCacheOptions, localCache } from './cache/local-cache.ts'
export type {
  CacheContext,
  InsertOptions,
  LookupOptions,
  MaybePromise,
  ResponseCache,
} from './cache/response-cache.ts'
export type { CodeContext, NestedOptions } from './code-model/code-context.ts'
export {
  type AnswerStream,
  defineModel,
  type ModelAnswer,
  type ModelClass,
  type ModelCode,
  type OutputValues,
} from './code-model/model-code.ts'
export type { Counter, Gauge, Histogram, MetricLabels, ModelMetrics } from './code-model/model-metrics.ts'
export type { ModelRequest } from './code-model/model-request.ts'
export type { ResponseSender, SendOptions } from './code-model/response-sender.ts'
export { ConfigError, type ConfigProblem } from './config/config-error.ts'
export type { ModelConfig, ModelConfigInput } from './config/model-config.ts'
export { parseModelConfig } from './config/parse-pbtxt.ts'
export { modelConfigToPbtxt } from './config/to-pbtxt.ts'
export { diagnostics, type TypedChannel } from './diagnostics/channels.ts'
export type { BatchMessage, RefusalMessage, RequestMessage } from './diagnostics/messages.ts'
export { type ErrorCode, errorCodes, TritonError } from './errors.ts'
export { type ModelGraph, type ModelGraphOptions, modelGraph, modelToMermaid } from './graph/model-graph.ts'
export type { RateLimitResource } from './instance/resource-table.ts'
export type { SendRule } from './instance/send-rule.ts'
export type { ModelMetadata, ServerMetadata, TensorMetadata } from './lifecycle/model-metadata.ts'
export type { ModelIndexEntry, ModelState } from './lifecycle/model-state.ts'
export type { LoadOptions } from './lifecycle/poll-model.ts'
export type { ServerUnloadOptions, UnloadReport } from './lifecycle/unloading.ts'
export {
  isLogFormat,
  type LogFormat,
  type LogSettings,
  type LogSettingsChange,
  logFormats,
} from './log/log-settings.ts'
export type { ServerLog } from './log/server-log.ts'
export { TritonLog, type TritonLogOptions, tritonLog } from './log/triton-log.ts'
export type { Gpu, GpuMetrics, GpuReading } from './metrics/gpu-metrics.ts'
export type { MetricsOptions } from './metrics/metrics-options.ts'
export type { MemoryUsage, ModelStatistics, ResponseStatistics, StatisticDuration } from './metrics/model-statistics.ts'
export type { PromClientMetric, PromClientRegistry } from './metrics/prom-client.ts'
export type { SummaryQuantile } from './metrics/quantile-stream.ts'
export type {
  EventLoopDelaySnapshot,
  HistogramSnapshot,
  ModelSnapshot,
  ServerSnapshot,
} from './metrics/server-snapshot.ts'
export { modelStatisticsToJson } from './metrics/statistics-json.ts'
export type { MetricsFormat } from './metrics/text-sink.ts'
export { Model } from './model.ts'
export type { Lease } from './on-demand/lease.ts'
export type { MeasuredModel, MemoryOf } from './on-demand/memory-costs.ts'
export type { CloudCacheOptions } from './repository/cloud/cache-place.ts'
export type { DownloadProgress } from './repository/cloud/download-progress.ts'
export type { BytesElement } from './request/bytes.ts'
export { packBytes, unpackBytes } from './request/bytes.ts'
export {
  createArray,
  type DataType,
  type DataTypeArrays,
  dataTypeSizes,
  dataTypes,
  isDataType,
  type NumericArray,
  type NumericDataType,
} from './request/data-type.ts'
export type { InferOptions } from './request/infer-options.ts'
export type { InferRequest, ParameterValue, RequestInput } from './request/infer-request.ts'
export type { InputValue, NestedValues } from './request/input-value.ts'
export { elementCount } from './request/shape.ts'
export { Tensor, type TensorData, tensor } from './request/tensor.ts'
export type { ExplainedBatch, ExplainedSplit, ExplainedStep, Explanation } from './response/explanation.ts'
export type { InferenceResponse, Outputs } from './response/inference-response.ts'
export type { ResponseListener } from './response/response-listener.ts'
export { SingleResponse } from './response/single-response.ts'
export { Server } from './server.ts'
export type { ServerEvents, ServerState } from './server-events.ts'
export type { ModelControl, ServerOptions } from './server-options.ts'
export type { CudaMapping, CudaMemory } from './shared-memory/cuda-memory.ts'
export { checkRegionName } from './shared-memory/region-name.ts'
export type { RegionSlice } from './shared-memory/region-slice.ts'
export type {
  CudaRegionOptions,
  CudaRegionStatus,
  RegionKind,
  SystemRegionOptions,
  SystemRegionStatus,
} from './shared-memory/region-status.ts'
export type { SharedMemory } from './shared-memory/shared-memory.ts'
export type { InferenceTrace } from './trace/inference-trace.ts'
export type {
  ActivitySource,
  HeaderReader,
  TracedRequest,
  TraceExporter,
  TraceRecorder,
  TraceStart,
} from './trace/trace-exporter.ts'
export type { TraceOptions } from './trace/trace-options.ts'
export {
  type TraceChoice,
  type TraceLevel,
  type TraceSettings,
  type TraceSettingsChange,
  traceLevels,
} from './trace/trace-settings.ts'
export type { TrafficSplit, VersionWeights } from './traffic/traffic-split.ts'
export { type Clock, systemClock, type Timer } from './util/clock.ts'
export type { Logger } from './util/logger.ts'
export { silentLogger } from './util/logger.ts'
