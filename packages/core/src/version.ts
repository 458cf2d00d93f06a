/** Version in server metadata: of triton-ts. */
export const version = '0.1.0'

/** Protocol extensions, by Triton's names. Clients take the list as the mark of a Triton server, so it is Triton's own. */
export const protocolExtensions: readonly string[] = [
  'classification',
  'sequence',
  'model_repository',
  'model_repository(unload_dependents)',
  'schedule_policy',
  'model_configuration',
  'system_shared_memory',
  'cuda_shared_memory',
  'binary_tensor_data',
  'parameters',
  'statistics',
  'trace',
  'logging',
]
