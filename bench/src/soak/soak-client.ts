import type { Agent } from 'node:http'
import type { Client } from '@grpc/grpc-js'

/** What clients of a soak share. */
export interface SoakTarget {
  readonly httpPort: number
  readonly metricsPort: number
  readonly grpcPort: number
  /** Keeps HTTP connections open between requests. */
  readonly agent: Agent
  readonly grpc: Client
}

/** One kind of client. */
export interface SoakClient {
  readonly name: string
  /** How many of it work at a time. */
  readonly copies: number
  /**
   * Does its work once.
   * @param turn counts up, over all copies.
   * @throws Error when the server did not do what it should.
   */
  act(target: SoakTarget, turn: number): Promise<void>
}

export function expect(condition: boolean, what: string): void {
  if (!condition) throw new Error(what)
}

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
