import { afterAll, beforeAll } from 'vitest'
import { fetchHandler } from './fetch.ts'
import { type TestServer, testServer } from './test-server.ts'

export type RequestBody = NonNullable<RequestInit['body']>

export interface Call {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: RequestBody
}

/** A Server with a handler for the tests of one file. */
export interface TestClient {
  readonly fixture: TestServer
  /** A GET, or a POST where there is a body. */
  call(path: string, init?: Call, via?: (request: Request) => Promise<Response>): Promise<Response>
  infer(model: string, body: RequestBody, headers?: Record<string, string>): Promise<Response>
}

/** Starts the Server before the tests of a file and stops it after them. */
export function useTestClient(): TestClient {
  let fixture: TestServer
  let handle: (request: Request) => Promise<Response>
  beforeAll(async () => {
    fixture = await testServer()
    handle = fetchHandler(fixture.server)
  })
  afterAll(() => fixture[Symbol.asyncDispose]())
  const client: TestClient = {
    get fixture() {
      return fixture
    },
    call: (path, init = {}, via = handle) =>
      via(new Request(`http://host${path}`, { method: init.body === undefined ? 'GET' : 'POST', ...init })),
    infer: (model, body, headers = {}) => client.call(`/v2/models/${model}/infer`, { method: 'POST', body, headers }),
  }
  return client
}

/** Status and text of an error. */
export async function errorOf(response: Promise<Response> | Response): Promise<[number, string]> {
  const answer = await response
  return [answer.status, ((await answer.json()) as { error: string }).error]
}
