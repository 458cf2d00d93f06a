import { sageMakerFlags, vertexFlags } from './cloud-flags.ts'
import { deprecatedFlags } from './deprecated-flags.ts'
import type { Flag } from './flag.ts'
import { grpcFlags } from './grpc-flags.ts'
import { accessFlags, httpFlags, sharedMemoryFlags } from './http-flags.ts'
import { agentFlags, backendFlags, repositoryFlags, serverFlags } from './model-flags.ts'
import { cacheFlags, deviceFlags, rateLimiterFlags } from './resource-flags.ts'
import { loggingFlags, metricsFlags, tracingFlags } from './telemetry-flags.ts'

/** tritonserver's flags with its defaults. */
export const flags = {
  ...serverFlags,
  ...loggingFlags,
  ...repositoryFlags,
  ...httpFlags,
  ...accessFlags,
  ...grpcFlags,
  ...sageMakerFlags,
  ...vertexFlags,
  ...metricsFlags,
  ...tracingFlags,
  ...backendFlags,
  ...agentFlags,
  ...cacheFlags,
  ...rateLimiterFlags,
  ...deviceFlags,
  ...sharedMemoryFlags,
  ...deprecatedFlags,
}

/** What the usage prints of a flag. */
type FlagText = Pick<Flag<unknown>, 'argument' | 'default' | 'meaning' | 'noEffect'>

/** The same flags under the headings of the usage. */
export const flagGroups: Readonly<Record<string, Readonly<Record<string, FlagText>>>> = {
  Server: serverFlags,
  Logging: loggingFlags,
  'Model Repository': repositoryFlags,
  HTTP: httpFlags,
  Access: accessFlags,
  GRPC: grpcFlags,
  Sagemaker: sageMakerFlags,
  Vertex: vertexFlags,
  Metrics: metricsFlags,
  Tracing: tracingFlags,
  Backend: backendFlags,
  'Repository Agent': agentFlags,
  'Response Cache': cacheFlags,
  'Rate Limiter': rateLimiterFlags,
  'Memory/Device Management': deviceFlags,
  'Shared Memory': sharedMemoryFlags,
  DEPRECATED: deprecatedFlags,
}

export type FlagName = keyof typeof flags

/** The value of every flag. */
export type FlagValues = { readonly [Name in FlagName]: (typeof flags)[Name]['default'] }
