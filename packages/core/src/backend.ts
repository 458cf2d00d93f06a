/** For authors of backends. */
export type {
  AutoCompletedConfig,
  Backend,
  BackendInstance,
  BackendModel,
  ExecutionMarks,
  ExecutionRequest,
  InstanceContext,
  ModelContext,
  ResponseContent,
} from './backend/backend.ts'
export { gatherInput, scatterOutput } from './backend/gather.ts'
export type { ConfigDataType, ModelInput, ModelOutput, SequenceControl } from './config/model-config.ts'
export { fromConfigType, toConfigType } from './request/data-type.ts'
