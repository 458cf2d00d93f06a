import { TritonError } from '@triton-ts/core'
import type { MethodEntry } from '../schema/services.ts'
import { inferenceService, type ServiceContext } from '../service-context.ts'

interface RepositoryRequest {
  readonly repository_name: string
}

interface ControlRequest extends RepositoryRequest {
  readonly model_name: string
  readonly parameters: Readonly<Record<string, RepositoryParameter>>
}

/** `inference.ModelRepositoryParameter`. */
interface RepositoryParameter {
  readonly bool_param?: boolean
  readonly string_param?: string
  readonly bytes_param?: Uint8Array
}

/** The models in the repositories, and which of them are loaded. */
export function repositoryMethods({ server, services, repositoryControl }: ServiceContext): MethodEntry[] {
  const expectControl = (request: RepositoryRequest): void => {
    if (!repositoryControl) throw new TritonError('UNSUPPORTED', 'model load and unload over gRPC are switched off')
    expectNoRepository(request)
  }
  return [
    services.unary<RepositoryRequest & { readonly ready: boolean }>(
      inferenceService,
      'RepositoryIndex',
      async (request) => {
        expectNoRepository(request)
        return { models: await server.index({ ready: request.ready }) }
      },
    ),
    services.unary<ControlRequest>(inferenceService, 'RepositoryModelLoad', async (request) => {
      expectControl(request)
      await server.load(request.model_name, readLoad(request.parameters))
      return {}
    }),
    services.unary<ControlRequest>(inferenceService, 'RepositoryModelUnload', async (request) => {
      expectControl(request)
      await server.unload(request.model_name, { unloadDependents: readUnloadDependents(request.parameters) })
      return {}
    }),
  ]
}

function expectNoRepository({ repository_name }: RepositoryRequest): void {
  if (repository_name === '') return
  throw new TritonError('UNSUPPORTED', "'repository_name' specification is not supported")
}

const filePrefix = 'file:'

function readLoad(parameters: ControlRequest['parameters']): { config?: string; files?: Record<string, Uint8Array> } {
  const load: ReturnType<typeof readLoad> = {}
  for (const [name, { string_param, bytes_param }] of Object.entries(parameters)) {
    if (name === 'config') {
      if (string_param === undefined) throw wrongLoadType(name, 'string_param')
      load.config = string_param
    } else if (name.startsWith(filePrefix)) {
      if (bytes_param === undefined) throw wrongLoadType(name, 'bytes_param')
      load.files ??= Object.create(null) as Record<string, Uint8Array>
      load.files[name.slice(filePrefix.length)] = bytes_param
    } else throw new TritonError('INVALID_ARG', `unrecognized load parameter '${name}'.`)
  }
  return load
}

const wrongLoadType = (name: string, expected: string): TritonError =>
  new TritonError('INVALID_ARG', `invalid value type for load parameter '${name}', expected ${expected}.`)

/** Other parameters are overlooked. */
function readUnloadDependents({ unload_dependents: parameter }: ControlRequest['parameters']): boolean {
  if (parameter === undefined) return false
  if (parameter.bool_param !== undefined) return parameter.bool_param
  throw new TritonError('INVALID_ARG', "invalid value type for 'unload_dependents' parameter, expected bool_param.")
}
