import { setTimeout } from 'node:timers/promises'
import { Client, credentials } from '@grpc/grpc-js'
import { goldenRepository } from '../corpus.ts'
import { type Differences, type ServerChoice, startPhase } from '../replay.ts'
import { setUpSharedMemory, withSharedMemory } from '../shared-memory.ts'
import { compareGrpcAnswer } from './compare-grpc.ts'
import type { GrpcCase, GrpcCorpus } from './grpc-corpus.ts'
import { callStream, callUnary } from './raw-grpc.ts'

const service = '/inference.GRPCInferenceService/'

/** Serves a phase and makes its calls in order. A server that does not start fails all of them. */
export async function replayGrpcPhase(
  { phases, cases }: GrpcCorpus,
  name: string,
  choice: ServerChoice = {},
): Promise<Differences> {
  const phase = phases[name]
  if (!phase) throw new Error(`unknown phase '${name}'`)
  const own = cases.filter((entry) => entry.phase === name)
  try {
    return await withSharedMemory(own, async () => {
      const server = await startPhase(phase, choice)
      const client = new Client(`127.0.0.1:${server.grpcPort}`, credentials.createInsecure())
      try {
        return await replayCalls(client, own, choice)
      } finally {
        client.close()
        await server.stop()
      }
    })
  } catch (error) {
    return new Map(own.map(({ id }) => [id, String(error)]))
  }
}

async function replayCalls(
  client: Client,
  cases: readonly GrpcCase[],
  { answersEarly = false }: ServerChoice,
): Promise<Differences> {
  const differences: Differences = new Map()
  for (const entry of cases) {
    if (answersEarly) await setTimeout(entry.delay_ms ?? 0)
    await setUpSharedMemory(entry)
    differences.set(entry.id, await replayCall(client, entry))
  }
  return differences
}

/** Makes one call; what differs from the recorded answer, or undefined. */
async function replayCall(client: Client, entry: GrpcCase): Promise<string | undefined> {
  const { method, metadata, request_b64 = '', requests_b64 = [request_b64], stream_mode } = entry
  const path = method.startsWith('/') ? method : `${service}${method}`
  const call = { path, metadata, requests: requests_b64.map((text) => Buffer.from(text, 'base64')) }
  const isStream = method === 'ModelStreamInfer'
  const answer = await (isStream
    ? callStream(client, call, { inTurn: stream_mode === 'sequential' })
    : callUnary(client, call))
  return compareGrpcAnswer(entry, answer, goldenRepository)
}
