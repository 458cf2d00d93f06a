// Triton's HTTP protocol as a route handler of Next.js: app/v2/[...path]/route.ts.
import { fetchHandler } from '@triton-ts/http-adapter/fetch'
import { server } from '../../../lib/server.ts'

export const GET = fetchHandler(server)
export const POST = fetchHandler(server)
