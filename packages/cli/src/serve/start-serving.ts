import { javascript } from '@triton-ts/backend-javascript'
import { cudaMemory, native, nvml } from '@triton-ts/backend-native'
import { onnx } from '@triton-ts/backend-onnx'
import { python } from '@triton-ts/backend-python'
import { checksum, Server, TritonError } from '@triton-ts/core'
import { createDashboard } from '@triton-ts/dashboard'
import { type GrpcService, serveGrpc } from '@triton-ts/grpc-adapter'
import { type HttpService, serveHttp, serveMetrics } from '@triton-ts/http-adapter/node'
import { identity } from '../identity-backend.ts'
import { openAccess } from './access-settings.ts'
import type { Address } from './address.ts'
import { BusyPortError } from './busy-port-error.ts'
import { failure } from './failure.ts'
import type { Log } from './log.ts'
import { makeCache } from './make-cache.ts'
import { modelTable } from './model-table.ts'
import { openTrace } from './open-trace.ts'
import { Serving } from './serving.ts'
import type { ServeSettings } from './settings.ts'
import { StartupStates } from './startup-states.ts'
import { readTls } from './tls-files.ts'

/**
 * Loads the models, then opens the endpoints, as tritonserver does.
 * @param signal Aborting it gives the loading up; then there is nothing to return.
 * @throws Error with tritonserver's text, and the TritonError as its cause.
 */
export async function startServing(
  settings: ServeSettings,
  log: Log,
  signal?: AbortSignal,
): Promise<Serving | undefined> {
  if (settings.server.modelRepository?.length === 0) {
    throw failure('creating server', new TritonError('INVALID_ARG', '--model-repository must be specified'))
  }
  const authorize = await openAccess(settings.access, log)
  const [tls, grpcTls] = await Promise.all([readTls(settings.tls), readTls(settings.grpc?.tlsFiles)])
  const server = await createServer(settings, log)
  let http: HttpService | undefined
  let grpc: GrpcService | undefined
  try {
    await load(server, log, signal)
    const shared = { tls, authorize, logger: log }
    const httpOptions = { ...settings.http, ...shared, sharedMemory: settings.sharedMemory }
    http = settings.http && (await open('HTTP', settings.http, serveHttp(server, httpOptions)))
    if (settings.grpc !== undefined) {
      const options = { ...settings.grpc, ...shared, tls: grpcTls, sharedMemory: settings.sharedMemory }
      grpc = await open('GRPC', settings.grpc, serveGrpc(server, options))
    }
    const fallback = settings.dashboard && createDashboard(server, { ...settings.dashboard, authorize, logger: log })
    const metrics =
      settings.metrics &&
      (await open('Metrics', settings.metrics, serveMetrics(server, { ...settings.metrics, ...shared, fallback })))
    if (grpc !== undefined) log.info({ module: 'grpc' }, `Started GRPCInferenceService at ${grpc.address}:${grpc.port}`)
    if (http !== undefined) log.info({ module: 'http' }, `Started HTTPService at ${http.address}:${http.port}`)
    if (metrics !== undefined) {
      log.info({ module: 'metrics' }, `Started Metrics Service at ${metrics.address}:${metrics.port}`)
    }
    if (metrics !== undefined && fallback !== undefined) {
      const scheme = settings.tls === undefined ? 'http' : 'https'
      log.info({ module: 'dashboard' }, `Started Dashboard at ${scheme}://${metrics.address}:${metrics.port}/`)
    }
    return new Serving(server, { http, grpc, metrics }, settings.exitTimeout)
  } catch (error) {
    await Promise.allSettled([http?.close({ timeout: 0 }), grpc?.close({ timeout: 0 }), server.stop()])
    if (signal?.aborted) return undefined
    throw error
  }
}

async function createServer(settings: ServeSettings, log: Log): Promise<Server> {
  try {
    const cache = await makeCache(settings.cache)
    const found = { directory: settings.backendDirectory, verbose: log.settings.logVerboseLevel > 0 }
    return new Server({
      ...settings.server,
      backends: [onnx(), identity(), javascript(), python(found), native(found)],
      cudaMemory: cudaMemory(),
      gpuMetrics: settings.gpuMetrics ? nvml() : undefined,
      repositoryAgents: [checksum()],
      cache,
      trace: await openTrace(settings.trace, log),
      logger: log,
    })
  } catch (error) {
    throw failure('creating server', error)
  }
}

/** Starts the engine, and prints the table of models whether or not all of them could be loaded. */
async function load(server: Server, log: Log, signal: AbortSignal | undefined): Promise<void> {
  const states = new StartupStates(server)
  try {
    await server.start({ signal })
  } catch (error) {
    throw failure('creating server', error)
  } finally {
    log.table(modelTable(states.entries()))
  }
}

async function open<Service>(service: string, { port }: Address, opening: Promise<Service>): Promise<Service> {
  try {
    return await opening
  } catch (error) {
    const failed = failure(`starting ${service} service`, error)
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
    throw code === 'EADDRINUSE' ? new BusyPortError(failed.message, port, `--${service.toLowerCase()}-port`) : failed
  }
}
