/** For authors of backends. */
export { answerBatch } from './backend/answer-batch.ts'
export type {
  AutoCompletedConfig,
  Backend,
  BackendInstance,
  BackendModel,
  ExecutionMarks,
  ExecutionRequest,
  HostPolicy,
  InstanceContext,
  ModelContext,
  ResponseContent,
} from './backend/backend.ts'
export { batchInputs } from './backend/batch-inputs.ts'
export {
  type CollectedInput,
  collectInputs,
  type GatherOptions,
  gatherInput,
  gatherInputs,
} from './backend/gather.ts'
export { scatterOutput } from './backend/scatter.ts'
export type { ConfigDataType, ModelInput, ModelOutput, SequenceControl } from './config/model-config.ts'
export { fromConfigType, toConfigType } from './request/data-type.ts'
