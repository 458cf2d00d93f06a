import { type CudaRegionOptions, checkRegionName, type SystemRegionOptions, TritonError } from '@triton-ts/core'
import { expectClientSharedMemory } from '@triton-ts/protocol'
import type { JsonValue } from '../json/json-value.ts'
import { textResponse, type UniversalRequest, type UniversalResponse } from '../universal.ts'
import { errorText } from './http-status.ts'
import { asString, asUint64, find, member } from './json-access.ts'
import type { Route, RouteContext } from './route.ts'
import { jsonLimit } from './size-limits.ts'

/** What one kind of regions does with a request; `name` is empty where the path has no region. */
interface RegionActions {
  status(name: string): readonly object[]
  register(request: UniversalRequest, name: string): Promise<void>
  unregister(name: string): void
}

/** `/v2/systemsharedmemory[/region/{region}]/status`, `/register` and `/unregister`. */
export function systemSharedMemoryRoute(context: RouteContext): Route {
  const { sharedMemory } = context.server
  return regionRoute(
    /^\/v2\/systemsharedmemory(?:\/region\/(?<region>[^/]+))?\/(?<action>status|register|unregister)$/,
    context,
    {
      status: (region) =>
        sharedMemory.systemStatus(region).map(({ byteSize, ...others }) => ({ ...others, byte_size: byteSize })),
      async register(request, name) {
        checkRegionName(name, 'system')
        sharedMemory.registerSystem(await readBody(context, request, (document) => systemRegion(document, name)))
      },
      unregister: (region) => sharedMemory.unregister('system', region),
    },
  )
}

/** `/v2/cudasharedmemory[/region/{region}]/status`, `/register` and `/unregister`. */
export function cudaSharedMemoryRoute(context: RouteContext): Route {
  const { sharedMemory } = context.server
  return regionRoute(
    /^\/v2\/cudasharedmemory(?:\/region\/(?<region>[^/]+))?\/(?<action>status|register|unregister)$/,
    context,
    {
      status: (region) =>
        sharedMemory
          .cudaStatus(region)
          .map(({ name, deviceId, byteSize }) => ({ name, device_id: deviceId, byte_size: byteSize })),
      async register(request, name) {
        checkRegionName(name, 'cuda')
        // Without a GPU the body does not matter, as in a Triton that is built without.
        await sharedMemory.expectCuda(name)
        await sharedMemory.registerCuda(await readBody(context, request, (document) => cudaRegion(document, name)))
      },
      unregister: (region) => sharedMemory.unregister('cuda', region),
    },
  )
}

function regionRoute(pattern: RegExp, { options }: RouteContext, actions: RegionActions): Route {
  return {
    pattern,
    methods: ['GET', 'POST'],
    api: 'shared-memory',
    contentType: 'application/json',
    async handle(request, { region = '', action }) {
      if (request.method !== (action === 'status' ? 'GET' : 'POST')) {
        return errorText(405, 'application/json', 'Method Not Allowed')
      }
      if (action === 'status') return json(actions.status(region))
      expectClientSharedMemory(options.sharedMemory)
      if (action === 'register') await actions.register(request, region)
      else actions.unregister(region)
      return textResponse(200, 'application/json', '')
    },
  }
}

const json = (value: unknown): UniversalResponse => textResponse(200, 'application/json', JSON.stringify(value))

async function readBody<T>(
  { parser, options }: RouteContext,
  request: UniversalRequest,
  read: (document: JsonValue) => T,
): Promise<T> {
  return parser.parse(await request.body(jsonLimit(options.maxInputSize)), read)
}

function systemRegion(document: JsonValue, name: string): SystemRegionOptions {
  const key = asString(field(document, 'key'), '')
  const offset = find(document, 'offset')
  return {
    name,
    key,
    offset: offset === undefined ? 0 : asUint64(offset, ''),
    byteSize: asUint64(field(document, 'byte_size'), ''),
  }
}

function cudaRegion(document: JsonValue, name: string): CudaRegionOptions {
  const handle = asString(member(field(document, 'raw_handle'), 'b64', ''), '')
  return {
    name,
    rawHandle: Buffer.from(handle, 'base64'),
    byteSize: asUint64(member(document, 'byte_size', ''), ''),
    deviceId: asUint64(member(document, 'device_id', ''), ''),
  }
}

function field(document: JsonValue, name: string): JsonValue {
  const found = find(document, name)
  if (found !== undefined) return found
  throw new TritonError('INVALID_ARG', `Shared memory register request has no '${name}' field`)
}
