import { generateRoute } from '../generate/generate-route.ts'
import { modelReadyRoute, serverHealthRoute } from './health-routes.ts'
import { inferRoute } from './infer-route.ts'
import { loggingRoute } from './logging-route.ts'
import { modelConfigRoute, modelMetadataRoute, serverMetadataRoute, statisticsRoute } from './metadata-routes.ts'
import { repositoryControlRoute, repositoryIndexRoute } from './repository-routes.ts'
import type { Route, RouteContext } from './route.ts'
import { cudaSharedMemoryRoute, systemSharedMemoryRoute } from './shared-memory-routes.ts'
import { traceRoute } from './trace-route.ts'

/** Every endpoint, in the order in which paths are tried. */
export function createRoutes(context: RouteContext): readonly Route[] {
  return [
    inferRoute(context),
    generateRoute(context),
    modelReadyRoute(context),
    serverHealthRoute(context),
    statisticsRoute(context),
    modelConfigRoute(context),
    modelMetadataRoute(context),
    serverMetadataRoute(context),
    repositoryIndexRoute(context),
    repositoryControlRoute(context),
    traceRoute(context),
    loggingRoute(context),
    systemSharedMemoryRoute(context),
    cudaSharedMemoryRoute(context),
  ]
}
